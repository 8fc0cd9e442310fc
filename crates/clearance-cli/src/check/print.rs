//! The report of a check: a table for people, JSON and CSV for programs.
//!
//! Millions of pairs may be listed, so everything is written row by row and nothing is put together before.

use super::clusters::Cluster;
use super::explain::{self, Explained};
use super::issues::{self, Resolved};
use super::repair::{self, FilledHole};
use super::state::State;
use super::table::{self, Side};
use super::undecided::Doubt;
use super::until::Timeline;
use super::{Found, Report, RuleReport, words};
use crate::output::printable;
use clearance::Status;
use clearance::math::DVec3;
use clearance_io::{PairIssue, Witness, counted};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// A longer list begins with its length. Limit: [`ON_A_TERMINAL`](super::ON_A_TERMINAL), the longest list that is printed whole.
pub(super) const LONG: u64 = 100;

/// A table, the worst pair with a command that shows it (`hint`), and a line that sums it up; a terminal has a width.
pub fn table(out: &mut impl Write, report: &Report, width: Option<usize>, hint: &str) -> io::Result<()> {
    preface(out, report)?;
    let listed = report.listed().len() as u64;
    if report.count() > LONG {
        let which = match listed {
            1 => "the worst follows:".into(),
            _ if listed < report.count() => format!("the worst {listed} follow, worst first:"),
            _ => "all follow, worst first:".into(),
        };
        writeln!(out, "{} pairs {}; {which}\n", report.count(), report.property())?;
    }
    if listed > 0 {
        lay_out(out, report, width)?;
    }
    if listed < report.count() {
        let more = report.count() - listed;
        writeln!(out, "… and {more} more; --limit 0 lists all, as do --json and --csv.")?;
    }
    notes(out, report)?;
    if let Some(worst) = words::worst(report) {
        writeln!(out, "{worst}\n{hint}")?;
    }
    out.write_all(summary(report).as_bytes())
}

/// Lines above a table.
pub(super) fn preface(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if let Some(title) = report.title {
        writeln!(out, "{title}\n")?;
    }
    if let Some(meshes) = &report.meshes {
        explain::table(out, meshes)?;
    }
    repair::table(out, &report.holes)?;
    for sentence in report.crossed.iter().chain(&report.notes) {
        writeln!(out, "{}", printable(sentence))?;
    }
    if report.holes.is_empty() && report.crossed.is_empty() && report.notes.is_empty() { Ok(()) } else { writeln!(out) }
}

/// The notes below a table: open meshes, hulls, filled holes, and files that were left out.
pub(super) fn notes(out: &mut impl Write, report: &Report) -> io::Result<()> {
    if !report.skipped.is_empty() {
        let (what, whose) = match report.skipped.len() {
            1 => ("A file is left out, since it".to_owned(), "it"),
            count => (format!("{count} files are left out, since they"), "them"),
        };
        writeln!(out, "{what} cannot be read: nothing is said about {whose}.")?;
    }
    if !report.hulls.is_empty() {
        writeln!(out, "{}", hulls(&report.hulls))?;
    }
    if !report.shells.is_empty() {
        writeln!(out, "{}", shells(&report.shells, report.surfaces))?;
    }
    let rules = report.rules.iter().filter_map(RuleReport::sentence);
    rules.chain(groups(report)).try_for_each(|sentence| writeln!(out, "{}", printable(&sentence)))
}

/// "3 groups: pipe 1 (12 findings), wall (2 findings), lamp (1 finding)", if findings were grouped.
fn groups(report: &Report) -> Option<String> {
    let (clusters, _) = report.clusters.as_ref().filter(|(clusters, _)| !clusters.is_empty())?;
    let named = clusters.iter().take(NAMED).map(|cluster| {
        let findings = counted(cluster.findings, "finding", "findings");
        format!("{} ({findings})", cluster.name)
    });
    let more = if clusters.len() > NAMED { ", …" } else { "" };
    let names = named.collect::<Vec<_>>().join(", ");
    Some(format!("{}: {names}{more}.", counted(clusters.len() as u64, "group", "groups")))
}

/// Meshes that one note names. Limit: they fit one line of a terminal; a scene can have thousands.
const NAMED: usize = 5;

/// A few names, and how many more there are.
fn named(names: &[String]) -> String {
    let named = names.iter().take(NAMED).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
    let rest = names.len().saturating_sub(NAMED) as u64;
    let rest = if rest > 0 { format!(" and {}", counted(rest, "other", "others")) } else { String::new() };
    format!("{named}{rest}")
}

/// Names of meshes, with one for all parts of a body: "arm (3 parts)".
fn by_body(names: &[String]) -> Vec<String> {
    let body = |name: &String| name.rsplit_once(", part ").map_or_else(|| name.clone(), |(body, _)| body.to_owned());
    let of_body = |same: &[String]| match same {
        [one] => one.clone(),
        parts => format!("{} ({} parts)", body(&parts[0]), parts.len()),
    };
    names.chunk_by(|one, other| body(one) == body(other)).map(of_body).collect()
}

/// The meshes that are no solids.
fn shells(names: &[String], are_surfaces: bool) -> String {
    let (what, whose) = match names.len() {
        1 => ("A mesh is open, so that it is a surface without an inside", "it"),
        _ => ("Meshes are open, so that they are surfaces without an inside", "them"),
    };
    let names = named(&by_body(names));
    if are_surfaces {
        format!("{what}, as --surfaces says: {names}.")
    } else {
        format!("{what}: {names}. A body in {whose} is undecided; --fill-holes closes {whose}, --explain tells why.")
    }
}

/// How the meshes of the command line were interpreted.
fn hulls(names: &[String]) -> String {
    let what = if names.len() == 1 {
        "A mesh is checked as its convex hull"
    } else {
        "Meshes are checked as their convex hulls"
    };
    format!("{what}, without holes and hollows: {}.", named(names))
}

const HEADER: [&str; 9] =
    ["a", "b", "state", "distance", "proved", "direction a to b", "a comes free by", "point of a", "point of b"];

/// How many columns there are: all, and without those that a narrow terminal does without. Layout: the order of [`HEADER`].
const COLUMNS_THAT_FIT: [usize; 4] = [9, 7, 6, 5];

fn lay_out(out: &mut impl Write, report: &Report, width: Option<usize>) -> io::Result<()> {
    let rows = || report.listed().iter().map(|found| cells(report, found));
    let widths = table::widths(&HEADER, rows());
    // Broken cells are hard to read, so a terminal that is too narrow does without columns, and shortens names.
    let fit = table::fit(&widths, width, &COLUMNS_THAT_FIT);
    let mut widths = widths[..fit.columns].to_vec();
    widths[..2].iter_mut().for_each(|width| *width = fit.name.min(*width));
    let rows = || {
        rows().map(|mut row| {
            row[..2].iter_mut().for_each(|name| *name = table::shortened(name, fit.name));
            row
        })
    };
    let sides = HEADER.map(|name| if name == "distance" { Side::Right } else { Side::Left });
    table::write(out, &widths, &sides, &HEADER, rows())?;
    if fit.columns < HEADER.len() {
        writeln!(out, "More columns are in a wider terminal, --json or --csv.")?;
    }
    Ok(())
}

fn cells(report: &Report, found: &Found) -> [String; 9] {
    let [a, b] = found.bodies.map(|body| printable(&report.names[body as usize]));
    let w = &found.shown();
    let escape = found.depth.filter(|depth| depth.upper.is_finite());
    [
        a,
        b,
        report.word(found, found.state()),
        distance(found),
        // A range has its ends in the column before.
        if range(found).is_some() { "both ends".into() } else { interval(w.distance, w.lower, w.upper) },
        triple(w.normal.into(), 3),
        escape.map_or(String::new(), |depth| triple(depth.translation.into(), DIGITS)),
        triple(w.point_a.into(), DIGITS),
        triple(w.point_b.into(), DIGITS),
    ]
}

/// The distance of a pair: minus the depth of an overlap, as a range from the depth that is proved while that is open.
pub(super) fn distance(found: &Found) -> String {
    range(found).unwrap_or_else(|| short(found.shown().distance, DIGITS))
}

/// The ends of a depth that is known between bounds only.
fn range(found: &Found) -> Option<String> {
    let w = found.shown();
    let is_open = found.overlaps() && found.status != Status::Converged;
    let [least, most] = [w.distance, w.lower].map(|end| short(end, DIGITS));
    (is_open && least != most).then(|| format!("{least} to {most}"))
}

/// "3 bodies, 3 pairs checked, 1 overlap, 0 within margin 0.1 (distances in scene units)".
fn summary(report: &Report) -> String {
    let bodies = counted(report.names.len() as u64, "body", "bodies");
    let checked = counted(report.checked, "pair", "pairs");
    let line = format!("{bodies}, {checked} checked, {}", counted(report.overlaps, "overlap", "overlaps"));
    format!("{line}{}\n", rest_of_summary(report, report.overlaps > 0))
}

/// The end of every summary: how many pairs are undecided, close, or too close; and the unit, if there is a distance.
pub(super) fn rest_of_summary(report: &Report, has_distance: bool) -> String {
    // The line about the last run follows it.
    let since = report
        .followup
        .as_ref()
        .map(|followup| issues::summary(followup.followed.values(), followup.resolved.len(), &followup.baseline));
    let mut line = String::new();
    if report.undecided > 0 {
        line += &format!(", {} undecided", report.undecided);
    }
    if let Some(margin) = report.margin {
        line += &format!(", {} within margin {margin}", report.within);
    }
    line += &match (report.fail_within, report.has_rule_margins) {
        (Some(least), false) => format!(", {} closer than {least}", report.too_close),
        (Some(least), true) => format!(", {} closer than {least} or than the margin of a rule", report.too_close),
        (None, true) => format!(", {} closer than the margin of a rule", report.too_close),
        (None, false) => String::new(),
    };
    if has_distance || report.has_rule_margins || report.undecided > 0 || report.margin.is_some() {
        line += " (distances in scene units)";
    }
    line + &since.map_or_else(String::new, |since| format!("\n{since}"))
}

/// The proved interval: its width when the digits shown cannot tell its ends apart, else both ends.
pub(super) fn interval(value: f64, lower: f64, upper: f64) -> String {
    let (first, last) = (short(lower, DIGITS), short(upper, DIGITS));
    if first != last {
        return format!("{first} … {last}");
    }
    match (value - lower).max(upper - value) {
        width if width > 0.0 => format!("± {width:.0e}"),
        _ => "exact".into(),
    }
}

/// Significant digits of lengths. Limit: nine columns fit a terminal; JSON has all digits.
pub(super) const DIGITS: i32 = 4;

/// A number with that many significant digits.
pub(super) fn short(x: f64, digits: i32) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "∞" } else { "-∞" }.into();
    }
    if x == 0.0 {
        return "0".into();
    }
    let exponent = x.abs().log10().floor() as i32;
    if !(-4..6).contains(&exponent) {
        return format!("{x:.*e}", digits as usize - 1);
    }
    let text = format!("{x:.*}", (digits - 1 - exponent).max(0) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

pub(super) fn triple(v: DVec3, digits: i32) -> String {
    // A component that is tiny beside the largest one is rounding, and would only distract.
    let noise = 1e-9 * v.abs().max_element();
    let [x, y, z] = v.to_array().map(|x| short(if x.abs() < noise { 0.0 } else { x }, digits));
    format!("({x}, {y}, {z})")
}

/// The version of what is written for programs; a field more is no new version.
pub(super) const FORMAT: &str = "clearance-check/1";

/// The fields of a check that are about all pairs, in JSON.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    format: &'static str,
    bodies: usize,
    checked: u64,
    margin: f64,
    /// Of a check over time: until when, and how many pairs meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<f64>,
    overlaps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    impacts: Option<u64>,
    within: u64,
    undecided: u64,
    fail_within: Option<f64>,
    too_close: u64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    rules: &'a [RuleReport],
    convex_hulls: &'a [String],
    shells: &'a [String],
    filled_holes: &'a [FilledHole],
    crossed_faces: &'a [String],
    notes: &'a [String],
    skipped_files: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<&'a [Resolved]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<&'a [Cluster]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meshes: Option<&'a [Explained]>,
}

impl<'a> Head<'a> {
    pub fn new(report: &'a Report, timeline: Option<&Timeline>) -> Self {
        Self {
            format: FORMAT,
            bodies: report.names.len(),
            checked: report.checked,
            margin: report.margin.unwrap_or(0.0),
            until: timeline.map(|timeline| timeline.until),
            overlaps: report.overlaps,
            impacts: timeline.map(|timeline| timeline.impacts),
            within: report.within,
            undecided: report.undecided,
            fail_within: report.fail_within,
            too_close: report.too_close,
            rules: &report.rules,
            convex_hulls: &report.hulls,
            shells: &report.shells,
            filled_holes: &report.holes,
            crossed_faces: &report.crossed,
            notes: &report.notes,
            skipped_files: &report.skipped,
            resolved: report.followup.as_ref().map(|followup| &followup.resolved[..]),
            clusters: report.clusters.as_ref().map(|(clusters, _)| &clusters[..]),
            meshes: report.meshes.as_deref(),
        }
    }
}

/// One object on one line; docs/src/formats.md has the fields.
pub fn json(out: &mut impl Write, report: &Report) -> io::Result<()> {
    #[derive(Serialize)]
    struct Output<'a> {
        #[serde(flatten)]
        head: Head<'a>,
        #[serde(serialize_with = "pairs")]
        pairs: &'a Report,
    }
    fn pairs<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
        let names = |found: &Found| found.bodies.map(|body| report.names[body as usize].as_str());
        serializer.collect_seq(report.listed().iter().map(|found| found.written(report, names(found), found.state())))
    }
    serde_json::to_writer(&mut *out, &Output { head: Head::new(report, None), pairs: report })?;
    writeln!(out)
}

const COLUMNS: &str = "a,b,overlap,distance,point_a_x,point_a_y,point_a_z,point_b_x,point_b_y,point_b_z,normal_x,normal_y,\
                       normal_z,lower,upper,depth_lower,depth_upper,translation_x,translation_y,translation_z,status,\
                       margin,checked,format,state,undecided,id,kind,life,cluster";

/// One line per pair, under a line of column names; numbers are exact, infinite ones are `inf` and `-inf`.
///
/// Data about all pairs is in the last columns of every row: lines of another form would break a spreadsheet.
pub fn csv(out: &mut impl Write, report: &Report) -> io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    for found in report.listed() {
        let [a, b] = found.bodies.map(|body| csv_field(&report.names[body as usize]));
        write!(out, "{a},{b},{}", found.overlaps())?;
        numbers(out, &found.shown())?;
        match &found.depth {
            Some(depth) => {
                let [x, y, z] = depth.translation;
                write!(out, ",{:?},{:?},{x:?},{y:?},{z:?}", depth.lower, depth.upper)?;
            }
            None => write!(out, ",,,,,")?,
        }
        write!(out, ",{},{:?},{},{FORMAT}", found.status.name(), report.margin.unwrap_or(0.0), report.checked)?;
        state(out, report, found.state(), found)?;
    }
    Ok(())
}

/// The last columns of a row: what is said of the pair, and why it is undecided, if it is.
pub(super) fn state(out: &mut impl Write, report: &Report, state: State, found: &Found) -> io::Result<()> {
    let doubt = found.doubt.filter(|_| state == State::Undecided);
    write!(out, ",{},{}", state.name(), doubt.map(Doubt::reason).unwrap_or_default())?;
    let PairIssue { id, kind, life, cluster, .. } = report.issue(found, state);
    let cluster = csv_field(&cluster.unwrap_or_default());
    writeln!(out, ",{id},{},{},{cluster}", kind.unwrap_or_default(), life.unwrap_or_default())
}

/// The numbers of a pair, each behind a comma.
pub(super) fn numbers(out: &mut impl Write, w: &Witness) -> io::Result<()> {
    let vectors = [w.point_a, w.point_b, w.normal].into_iter().flatten();
    for x in std::iter::once(w.distance).chain(vectors).chain([w.lower, w.upper]) {
        // `{:?}` is the shortest text that reads back as the same number, with an exponent where that is shorter.
        write!(out, ",{x:?}")?;
    }
    Ok(())
}

/// A name, in quotes where a comma, a quote or a line break would end the field.
pub(super) fn csv_field(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_io::WrittenDepth;

    #[test]
    fn numbers_are_short_and_keep_their_size() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-0.019_999_999_999_999_57, "-0.02"),
            (123.456, "123.5"),
            (654_321.9, "654322"),
            (1e6, "1.000e6"),
            (1.5e-9, "1.500e-9"),
            (f64::NEG_INFINITY, "-∞"),
            (100.0, "100"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number, 4), text);
        }
        assert_eq!(triple(DVec3::new(1.0, -1e-17, 0.25), 3), "(1, 0, 0.25)");
    }

    /// Counts what is written, and what of it comes at once.
    #[derive(Default)]
    struct Counting {
        bytes: usize,
        lines: usize,
        largest: usize,
    }

    impl Write for Counting {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.bytes += bytes.len();
            self.lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
            self.largest = self.largest.max(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn report(listed: u32, overlaps: u64) -> Report {
        let witness = Witness {
            distance: -2.0,
            point_a: [1.0, 0.0, 0.0],
            point_b: [-1.0, 0.0, 0.0],
            normal: [1.0, 0.0, 0.0],
            lower: -2.0,
            upper: -2.0,
        };
        let pairs = (0..listed)
            .map(|i| Found {
                bodies: [i % 7, 7],
                status: Status::Converged,
                witness,
                depth: None,
                doubt: None,
                kind: None,
                is_too_close: false,
            })
            .collect();
        let names: Vec<String> = (0..8).map(|i| format!("ball {i}")).collect();
        let keys = names.clone();
        Report { keys, names, checked: 28, pairs, overlaps, ..Report::default() }
    }

    #[test]
    fn lists_are_written_in_pieces_no_larger_than_a_row() {
        type Print = fn(&mut Counting, &Report) -> io::Result<()>;
        let printers: [(Print, usize); 3] = [
            (|out, report| table(out, report, None, "hint"), 100_000 + 2 + 4 + 2 + 1),
            (|out, report| json(out, report), 1),
            (|out, report| csv(out, report), 100_000 + 1),
        ];
        for (print, lines) in printers {
            let mut counting = Counting::default();
            print(&mut counting, &report(100_000, 100_000)).unwrap();
            assert_eq!(counting.lines, lines);
            assert!(counting.bytes > 5_000_000 && counting.largest < 1_000, "{}", counting.largest);
        }
    }

    #[test]
    fn the_number_of_pairs_comes_before_a_long_list_and_after_a_short_one() {
        let print = |report: &Report| {
            let mut text = Vec::new();
            table(&mut text, report, None, "Look.").unwrap();
            String::from_utf8(text).unwrap()
        };
        let rows = |text: &str| text.lines().filter(|line| line.contains("OVERLAP")).count();
        let short = print(&report(100, 100));
        assert!(short.starts_with('┌') && rows(&short) == 100);
        let end = "┘\nWorst: ball 0 and ball 7 overlap by 2 (exact) near (0, 0, 0).\nLook.\n8 bodies, 28 pairs checked, 100 \
                   overlaps (distances in scene units)\n";
        assert!(short.ends_with(end), "{short}");
        let all = print(&report(101, 101));
        assert!(all.starts_with("101 pairs overlap; all follow, worst first:\n\n┌") && rows(&all) == 101);
        let some = print(&report(5, 4_498_500));
        assert!(some.starts_with("4498500 pairs overlap; the worst 5 follow, worst first:\n\n┌") && rows(&some) == 5);
        assert!(some.contains("┘\n… and 4498495 more; --limit 0 lists all, as do --json and --csv.\nWorst: "));
        let one = print(&report(1, 200));
        assert!(one.starts_with("200 pairs overlap; the worst follows:\n\n┌"), "{one}");
    }

    #[test]
    fn some_hulls_are_named_and_all_counted() {
        let names: Vec<String> = (0..7).map(|i| format!("{i}.stl")).collect();
        let one = "A mesh is checked as its convex hull, without holes and hollows: 0.stl.";
        assert_eq!(hulls(&names[..1]), one);
        let many =
            "Meshes are checked as their convex hulls, without holes and hollows: 0.stl, 1.stl, 2.stl, 3.stl, 4.stl";
        assert_eq!(hulls(&names[..5]), format!("{many}."));
        assert_eq!(hulls(&names[..6]), format!("{many} and 1 other."));
        assert_eq!(hulls(&names), format!("{many} and 2 others."));
    }

    #[test]
    fn parts_of_a_body_are_counted_in_one_name() {
        let names = ["arm, part 0", "arm, part 2", "hand", "leg, part 1"].map(String::from);
        let note = shells(&names, true);
        assert!(note.ends_with("as --surfaces says: arm (2 parts), hand, leg, part 1."), "{note}");
    }

    #[test]
    fn an_open_depth_is_told_once() {
        let mut report = report(1, 1);
        let row = |report: &Report| cells(report, &report.pairs[0]);
        assert_eq!(row(&report)[3..5], ["-2", "exact"]);
        (report.pairs[0].status, report.pairs[0].witness.lower) = (Status::Open, -2.5);
        assert_eq!(row(&report)[3..5], ["-2 to -2.5", "both ends"]);
    }

    #[test]
    fn the_sentence_about_the_worst_overlap_says_why_its_depth_is_open() {
        let mut report = report(1, 1);
        report.pairs[0].status = Status::Open;
        let mut worst = |upper, end| {
            let depth = WrittenDepth { lower: 2.0, upper, translation: [-upper, 0.0, 0.0], end };
            report.pairs[0].depth = Some(depth);
            words::worst(&report).unwrap()
        };
        let start = "Worst: ball 0 and ball 7 overlap by 2 to 2.5 near (0, 0, 0); ball 0 comes free by (-2.5, 0, 0).";
        let crossed =
            " Its depth is open: the surface of a body crosses itself, and sheets inside of it keep the bounds apart.";
        assert_eq!(worst(2.5, Some("crosses_itself")), format!("{start}{crossed}"));
        let nodes = " Its depth is open: the search used up its nodes, and --nodes gives it more.";
        assert_eq!(worst(2.5, Some("nodes")), format!("{start}{nodes}"));
        assert_eq!(worst(2.5, None), start);
        // Both ends are one number in the digits that are shown.
        assert!(worst(2.0 + 1e-9, Some("nodes")).ends_with("(-2, 0, 0)."));
    }

    #[test]
    fn a_narrow_terminal_does_without_columns() {
        let print = |width| {
            let mut text = Vec::new();
            table(&mut text, &report(3, 3), width, "Look.").unwrap();
            String::from_utf8(text).unwrap()
        };
        let full = print(None);
        let width = full.lines().next().unwrap().chars().count();
        assert_eq!(print(Some(width)), full);
        let narrow = print(Some(width - 1));
        for width in [60, 80, 100] {
            let rows = print(Some(width));
            assert!(
                rows.lines().take_while(|line| !line.starts_with('└')).all(|line| line.chars().count() <= width),
                "{rows}"
            );
        }
        assert!(full.contains("point of b") && !narrow.contains("point of b"));
        assert!(narrow.contains("More columns are in a wider terminal, --json or --csv.\nWorst: "), "{narrow}");
    }

    #[test]
    fn names_cannot_break_the_columns() {
        assert_eq!(csv_field("arm"), "arm");
        assert_eq!(csv_field("arm, \"left\""), "\"arm, \"\"left\"\"\"");
    }
}
