//! Values written by the feature `serde` are read back as they were, and wrong ones are refused.

use clearance::broad::BroadKind;
use clearance::math::{Aabb, DQuat};
use clearance::world::{Config, Detail};
use clearance::{Clearance, Cost, Engine, Feature, Pose, Shape, Status, World, distance};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// The text of a value that survives being written and read.
fn text<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

#[test]
fn poses_are_checked_when_they_are_read() {
    let pose = Pose::new([1.0, 2.5, -3.0], DQuat::from_rotation_y(0.3));
    assert!(text(&pose).starts_with(r#"{"translation":[1.0,2.5,-3.0],"rotation":[0.0,"#));
    let read = |text: &str| serde_json::from_str::<Pose>(text).map_err(|error| error.to_string());
    assert_eq!(read("{}"), Ok(Pose::IDENTITY));
    // Any length is a rotation, as everywhere.
    assert_eq!(read(r#"{"rotation": [0, 0, 0, 7]}"#), Ok(Pose::IDENTITY));
    let zero = read(r#"{"rotation": [0, 0, 0, 0]}"#).unwrap_err();
    assert!(zero.contains("rotation has no direction because it is zero"), "{zero}");
    let far = read(r#"{"translation": [0, 1e70, 0]}"#).unwrap_err();
    assert!(far.contains("translation.y is 1e70, which is beyond 1e60"), "{far}");
}

#[test]
fn answers_keep_their_bits_and_features() {
    let (cube, rock) = (Shape::cuboid([1.0; 3]).unwrap(), Shape::hull(&[[0.1; 3], [1.0, 0.0, 0.0], [0.0; 3]]).unwrap());
    let at = Pose::new([3.0, 0.7, 0.1], DQuat::from_rotation_z(0.2));
    let c = distance(&cube, Pose::IDENTITY, &rock, at);
    let written = text(&c);
    assert!(written.contains(r#""status":"converged""#), "{written}");
    let read: Clearance = serde_json::from_str(&written).unwrap();
    assert_eq!(read.features(&cube, &rock), c.features(&cube, &rock));
    let mut unknown = c;
    (unknown.lower, unknown.upper, unknown.status) = (f64::NEG_INFINITY, f64::INFINITY, Status::BadSupport);
    assert!(text(&unknown).contains(r#""lower":null,"upper":null"#));
    // Half-spaces that no translation separates are infinitely deep in each other.
    let space = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
    let deep = distance(&space, Pose::IDENTITY, &space, Pose::IDENTITY);
    let read: Clearance = serde_json::from_str(&serde_json::to_string(&deep).unwrap()).unwrap();
    assert!(read.distance == f64::NEG_INFINITY && read.lower <= read.distance && read.is_overlapping(), "{read:?}");
}

#[test]
fn names_are_those_of_the_files() {
    for engine in Engine::ALL {
        assert_eq!(text(&engine), format!("\"{}\"", engine.name()));
    }
    for broad in BroadKind::ALL {
        assert_eq!(text(&broad), format!("\"{}\"", broad.name()));
    }
    for status in [Status::Converged, Status::Open, Status::Stalled, Status::BadSupport] {
        assert_eq!(text(&status), format!("\"{}\"", status.name()));
    }
    assert_eq!(text(&Feature::Surface), "\"surface\"");
    assert_eq!(text(&Feature::Vertex(12)), r#"{"vertex":12}"#);
    assert_eq!(text(&Cost::default()), r#"{"iterations":0,"support_calls":0,"fallbacks":0}"#);
}

#[test]
fn settings_may_be_left_out() {
    let config = Config { margin: 0.25, detail: Detail::Intersection, ..Config::default() };
    let written = r#"{"broad":"tree","engine":"auto","detail":"intersection","margin":0.25}"#;
    assert_eq!(text(&config), written);
    assert_eq!(serde_json::from_str::<Config>("{}").unwrap(), Config::default());
    let mut world = World::default();
    let id = world.insert(Shape::point(), Pose::IDENTITY);
    assert_eq!(text(&id), r#"{"slot":0,"generation":0}"#);
}

#[test]
fn boxes_may_be_unbounded_or_empty() {
    let bounds = Aabb { min: [0.0, 1.0, f64::NEG_INFINITY].into(), max: [2.0, f64::INFINITY, 3.0].into() };
    assert_eq!(text(&bounds), r#"{"min":[0.0,1.0,null],"max":[2.0,null,3.0]}"#);
    assert_eq!(text(&Aabb::EMPTY), "null");
    text(&Aabb::EVERYTHING);
}
