//! The command line.

use crate::check::GroupBy;
use clap::{Parser, Subcommand};
use clearance::Engine;
use clearance::error::MAX_COORDINATE;
use clearance_io::Unit;
use clearance_io::rules::Rule;
use std::path::PathBuf;

/// The margin for the built-in scene, whose unit is the metre. Limit: of two pairs of that scene that are close, this margin reports one.
pub const BUILT_IN_MARGIN: f64 = 0.1;

/// Which parts collide, and how close the others come.
#[derive(Parser)]
#[command(name = "clearance", version, arg_required_else_help = true)]
#[command(after_help = "Run `clearance check` to check a built-in scene, and `clearance COMMAND --help` for \
                        examples and exit codes.")]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Check(Box<CheckArgs>),
    View(ViewArgs),
    Query(QueryArgs),
    Verify(VerifyArgs),
    Hull(HullArgs),
    Decompose(DecomposeArgs),
    Simulate(SimulateArgs),
}

/// List every pair of bodies that overlaps or is closer than a margin, worst first.
///
/// A SCENE is a .json file in the format clearance-scene/1; a MESH is an OBJ, STL, PLY, OFF, glTF, 3MF, COLLADA or VRML file. A mesh with a closed surface is a
/// solid: bodies inside of it overlap it. Any other mesh is a shell, and a body that may be inside of it is undecided. One check covers all bodies of several scenes,
/// meshes and folders. Without arguments it checks a built-in scene of a small robot work cell, with a margin of 0.1 m.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  A built-in scene, its overlaps and near misses:
    clearance check
  A scene of your own, and the pairs that overlap in it:
    echo '{\"format\": \"clearance-scene/1\", \"bodies\": [' \\
      '{\"name\": \"ball\", \"shape\": {\"sphere\": {\"radius\": 1}}},' \\
      '{\"name\": \"floor\", \"shape\": {\"half_space\":' \\
      '{\"normal\": [0, 1, 0], \"offset\": -1.02}}}]}' > cell.json
    clearance check cell.json
  Also those closer than 0.05:
    clearance check cell.json --margin 0.05
  The ten worst pairs; the summary always counts all of them:
    clearance check cell.json --limit 10
  A mesh and a scene, for another program and for a spreadsheet:
    { printf 'v %s\\n' '0 0 0' '1 0 0' '0 1 0' '0 0 1';
      printf 'f %s\\n' '1 3 2' '1 2 4' '2 3 4' '3 1 4'; } > part.obj
    clearance check cell.json part.obj --json
    clearance check cell.json part.obj --csv > report.csv
  The faults of a mesh, and a check of its convex hull:
    clearance check part.obj --explain
    clearance check cell.json part.obj --hull
  Parts in millimetres beside a scene in metres:
    clearance check cell.json part.obj --scale 0.001
  Fail when a pair is closer than 0.01:
    clearance check cell.json --fail-within 0.01
  Leave out a pair that is meant to touch:
    clearance check cell.json --rule \"ball : floor allow\"
  Only what is new or worse since the last run fails, and BIM programs get it:
    clearance check cell.json --json > last.json
    clearance check cell.json --baseline last.json --bcf clashes.bcf
  A page that shows it in 3-D:
    clearance check cell.json part.obj --report page.html
  Bodies that move: the collisions within a second:
    echo '{\"format\": \"clearance-scene/1\", \"bodies\": [' \\
      '{\"name\": \"bullet\", \"shape\": {\"sphere\": {\"radius\": 0.01}},' \\
      '\"motion\": {\"linear\": {\"velocity\": [900, 0, 0]}}},' \\
      '{\"name\": \"wall\", \"shape\": {\"cuboid\":' \\
      '{\"half_extents\": [0.001, 1, 1]}},' \\
      '\"pose\": {\"translation\": [100, 0, 0]}}]}' > shot.json
    clearance check shot.json --until 1
  The evidence of a check, and a checker that shares no code with it:
    clearance check shot.json --until 1 --proof evidence.jsonl
    clearance verify evidence.jsonl

A pair overlaps if it is not proved apart: touching pairs, and pairs whose gap is within rounding. Bodies of the same group, and \
pairs that the scene ignores, are not checked; groups of the same name in several scenes are one group. Lengths are in the unit \
of the scene. glTF is in metres, 3MF and COLLADA state their unit; --unit converts them. Overlapping bodies have a depth between \
proved bounds, and a translation of a that frees it. While that bracket is open, \"distance\" is minus the lower bound, in the \
table, JSON and CSV. A list of more than 100 pairs is announced by their number.

A RULE is SELECTOR [ : SELECTOR] ACTION. A selector is a regular expression that the whole name of a body has to match, or one after group:, layer: or file:. \
Actions are ignore (not checked), check (pairs without a rule are not), allow [DEPTH] (meant to touch, or to overlap by at most DEPTH) and margin M (at least M \
apart, or the check fails). The last rule that matches a pair decides.

A finding is a pair that fails the check. It has an \"id\" that is the same in every run, and a \"kind\" (duplicate, touching, enveloped, protruding, piercing, collision, \
graze, undecided, too close). With --baseline findings have a \"life\" (new, persistent, changed, worse), those that are gone are listed as \"resolved\", and only new and \
worse ones fail the check.

A .urdf file is a robot, as in `clearance check arm.urdf cell.json --joints \"shoulder=0.5 elbow=-1\"`. Its links are checked against each other but for neighbours and the pairs of --srdf, and against the bodies of all other files. The answer \
is the closest pair at the configuration of --joints, with proven bounds. With --path every straight edge between two configurations is proved free at all times, with a lower bound of the clearance, or has \
its first contact between two fractions of the edge, or is UNDECIDED. The page of --report plays the path, with a plot of the clearance.

With --until bodies move as their \"motion\" says, from time zero on. No contact is missed, at any speed. A table row is an \
OVERLAP at the start; a COLLISION with its time (proved apart before the bracket of the time, and overlapping at its end); a \
GRAZE that rounding cannot distinguish from a miss; or clear, which is proved for all times, with the closest approach. Bodies \
without a motion stand still.

A mesh that is not closed has no inside, but may be meant as a solid. A pair is UNDECIDED if one body lies in the box of such a \
mesh, does not cross its surface, and is not apart from its convex hull. --surfaces declares that open meshes are surfaces; \
--fill-holes closes their holes and reports each.

For a robot it has \"format\" (clearance-robot/1), \"robot\", \"joints\", \"links\", \"obstacles\", \"pairs\", \"notes\" and \"state\" (free, contact, too_close, undecided). Without --path there are \"configuration\", \"outside_limits\" and \"clearance\" (\"distance\", \"lower\", \"upper\", \"parts\", \"point_a\", \"point_b\", \"normal\"), with --path \"waypoints\" (how many), \"lower\" and \"edges\", up to the first that is not free: \"free\", \"lower\", \"upper\", \"at\", \"free_until\", \"contact\" and \"undecided\".

JSON is one object (clearance-check/1). \"bodies\" and \"checked\" (pairs), \"overlaps\", \"within\", \"undecided\" and \
\"too_close\" are counts; \"margin\" and \"fail_within\" repeat the options. Lists are \"filled_holes\", \"crossed_faces\", \
\"notes\" (differences between files and bodies), \"skipped_files\", \"convex_hulls\" (meshes that are checked as their hulls), \
\"shells\" (meshes that are not closed) and \"pairs\". Each pair has a \"state\" (overlap, collision, graze, undecided, gap, \
clear); overlapping ones have \"depth\" with \"lower\", \"upper\" and \"translation\". An infinite bound is null. With --until \
there are also \"until\" and \"impacts\" (a count). Then a pair has its clearance at the start, and \"impact\": an object with \
\"time\", \"lower\", \"upper\", \"point_a\", \"point_b\", \"normal\"; or \"touching\"; or \"clear\" beside \"closest_approach\" \
(\"lower\", \"upper\", \"time\"); or \"undecided\" beside \"undecided_from\", the time until which it is apart. CSV has the \
fields of a pair as columns. The last columns of every row are its status, the margin, the number of checked pairs, the format, \
the state and the reason why it is undecided.

The page of --report is a single file and needs no network; `clearance view` writes and opens it. --watch watches the files, the \
folders, and the mesh files of the scenes. A mistake in a file is printed, and the program waits for the next change; with \
--json each check is a line.

The file of --proof has the answers of `clearance query --proof`, with the names of the two bodies as \"id\", for every checked \
pair, listed or not. Without --until each pair has an answer to \"within\"; overlapping solids that are not convex have a second \
one about the depth, with the nodes of --nodes. With --until each pair has an answer to \"impact\". For compounds and meshes the \
lower bound of its closest approach may be less than that of the report. Pairs without evidence are counted; their lines are \
undecided.

Exit codes: 0 clear; 1 a pair overlaps or collides, or is closer than --fail-within; 2 bad input, or a file left out by --skip-bad; \
3 undecided: no pair is known to overlap, but some pair is not proved apart either.")]
pub struct CheckArgs {
    #[command(flatten)]
    pub scene: SceneArgs,

    #[command(flatten)]
    pub robot: RobotArgs,

    /// Fail, with the exit code 1, when a pair is not proved to be at least M apart; such pairs are listed
    #[arg(long, value_name = "M", value_parser = margin, allow_negative_numbers = true)]
    pub fail_within: Option<f64>,

    /// Describe every mesh and its faults: above the table, or under "meshes" in JSON
    #[arg(long, conflicts_with = "csv")]
    pub explain: bool,

    /// Also write a page that shows the findings in 3-D: one file, for any browser
    #[arg(long, value_name = "FILE.html", value_parser = page)]
    pub report: Option<PathBuf>,

    /// Also write the findings as a BCF 3.0 file, for BIM programs: topics with cameras and pictures; at most 1000
    #[arg(long, value_name = "FILE.bcf", value_parser = bcf)]
    pub bcf: Option<PathBuf>,

    /// Also write the evidence of every checked pair, for `clearance verify --scene`; - is the standard output, which then has
    /// the lines instead of the report
    #[arg(long, value_name = "FILE.jsonl", value_parser = lines, conflicts_with_all = ["watch", "fill_holes", "skip_bad"])]
    pub proof: Option<PathBuf>,

    /// Compare with the last run, a file that --json wrote: findings are new, persistent, changed, worse or resolved, and only new and worse ones fail
    #[arg(long, value_name = "LAST.json")]
    pub baseline: Option<PathBuf>,

    /// Take statuses and comments from a file that the report page has exported; accepted findings do not fail until they are worse
    #[arg(long, value_name = "REVIEW.json", requires = "baseline")]
    pub review: Option<PathBuf>,

    /// Group the findings
    #[arg(long, value_name = "BY", value_enum)]
    pub cluster: Option<GroupBy>,

    /// Check again whenever a file changes, until stopped by Ctrl-C
    #[arg(long, requires = "inputs", conflicts_with = "csv")]
    pub watch: bool,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print comma-separated values with a header
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}

/// Questions about a robot.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Robots (.urdf)")]
pub struct RobotArgs {
    /// The pairs of links that are not checked
    #[arg(long, value_name = "FILE.srdf", requires = "inputs")]
    pub srdf: Option<PathBuf>,

    /// The configuration, in radians and metres: numbers in the order of the joints, or \"name=number\" for some; the others are zero, or at the limit nearest to it
    #[arg(long, value_name = "VALUES", requires = "inputs", allow_hyphen_values = true)]
    pub joints: Option<String>,

    /// Prove a path: a configuration in each line, separated by commas; the first line may name the joints of the columns
    #[arg(long, value_name = "FILE.csv", requires = "inputs")]
    pub path: Option<PathBuf>,

    /// A folder that holds packages, for the package:// of a URDF; may be given several times
    #[arg(long, value_name = "FOLDER", requires = "inputs")]
    pub packages: Vec<PathBuf>,
}

impl CheckArgs {
    /// The margin that pairs are listed within: at least what fails the check.
    pub fn margin(&self) -> Option<f64> {
        self.scene.margin.into_iter().chain(self.fail_within).reduce(f64::max)
    }
}

/// Inputs and settings of a check.
#[derive(Clone, clap::Args, Default)]
pub struct SceneArgs {
    /// Scenes (.json), meshes (.obj, .stl, .ply, .off, .gltf, .glb, .3mf, .dae, .wrl), and folders of them; for `check` a robot (.urdf), too
    #[arg(value_name = "SCENE|MESH|FOLDER")]
    pub inputs: Vec<PathBuf>,

    /// Also list pairs that are at most this far apart, in the unit of the scene
    #[arg(long, value_name = "M", value_parser = margin, allow_negative_numbers = true)]
    pub margin: Option<f64>,

    /// Let the bodies move for T seconds, as their motions say, and list the collisions with their times
    #[arg(long, value_name = "T", value_parser = until, allow_negative_numbers = true)]
    pub until: Option<f64>,

    /// List only the N worst pairs; 0 lists all [default: 100 in a table on a terminal, 1000 in a page (which holds at most 10000), else
    /// all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Search at most this number of nodes for the depth of each listed overlap of solids that are not convex; 0 leaves it open
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "until")]
    pub nodes: usize,

    /// Check the convex hulls of the MESH files instead of the meshes themselves
    #[arg(long)]
    pub hull: bool,

    /// Multiply the lengths of the MESH files by this
    #[arg(long, value_name = "F", value_parser = scale)]
    pub scale: Option<f64>,

    /// The unit to check in (um, mm, cm, m, in, ft): files that state another one are converted to it; the
    /// others are assumed to be in it
    #[arg(long, value_name = "U")]
    pub unit: Option<Unit>,

    /// Treat meshes that are not closed as surfaces, without an inside
    #[arg(long)]
    pub surfaces: bool,

    /// Close the holes of meshes that are not closed; each is reported with its size and place
    #[arg(long, conflicts_with = "surfaces")]
    pub fill_holes: bool,

    /// Say which pairs are checked, and how: SELECTOR [ : SELECTOR] ACTION; may be given several times, and the last rule that matches a pair decides
    #[arg(long = "rule", value_name = "RULE", value_parser = rule)]
    pub rules: Vec<Rule>,

    /// Let scenes name mesh files below this folder, too, by `..` or by their whole path; may be given several times
    #[arg(long, value_name = "FOLDER")]
    pub allow: Vec<PathBuf>,

    /// Check the other files when some cannot be read, and exit with 2 at the end
    #[arg(long)]
    pub skip_bad: bool,
}

/// Show a scene in 3-D in the browser, with its overlaps and close pairs.
///
/// The page is that of `clearance check --report`: one file, which can be sent to others. Without files it shows the built-in scene.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  The built-in scene:
    clearance view
  A scene of your own, and the pairs closer than 0.05 in it:
    echo '{\"format\": \"clearance-scene/1\", \"bodies\": [' \\
      '{\"name\": \"ball\", \"shape\": {\"sphere\": {\"radius\": 1}}},' \\
      '{\"name\": \"floor\", \"shape\": {\"half_space\":' \\
      '{\"normal\": [0, 1, 0], \"offset\": -1.02}}}]}' > cell.json
    clearance view cell.json --margin 0.05
  Only written, for a colleague:
    clearance view cell.json -o page.html --no-open

Bodies that have motions move with --until. BROWSER, if it is set, names the browser.

Exit codes: 0 the page is written, also if it shows overlaps; 2 bad input, or the page cannot be written.")]
pub struct ViewArgs {
    #[command(flatten)]
    pub scene: SceneArgs,

    /// Where to write the page [default: a new file in the folder for temporary files]
    #[arg(short, long, value_name = "FILE.html", value_parser = page)]
    pub output: Option<PathBuf>,

    /// Write the page, and open no browser
    #[arg(long)]
    pub no_open: bool,
}

/// Answer a stream of queries about pairs of shapes, one JSON object per line in and out.
///
/// A line {"define": "rock", "shape": …} names a shape for later lines and has no answer. A line that cannot be
/// answered gets {"id": …, "error": "…"} and the stream goes on. Mesh files are in the folder of FILE, or in the current
/// folder for the standard input.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  A query, and its answer:
    echo '{\"id\": 1, \"query\": \"distance\", \"a\": {\"sphere\": {\"radius\": 1}},' \\
      '\"b\": {\"point\": {}}, \"pose_b\": {\"translation\": [3, 0, 0]}}' \\
      > queries.jsonl
    clearance query queries.jsonl
  The same in a pipe:
    cat queries.jsonl | clearance query > answers.jsonl
  By another engine, with its time:
    clearance query --engine gjk --time 100 queries.jsonl > answers.jsonl
  With evidence, and a check of it:
    clearance query --proof queries.jsonl | clearance verify
  The contact of two moving shapes, and the hit of a ray:
    echo '{\"query\": \"impact\", \"a\": {\"sphere\": {\"radius\": 1}},' \\
      '\"b\": {\"point\": {}}, \"pose_b\": {\"translation\": [3, 0, 0]},' \\
      '\"motion_b\": {\"linear\": {\"velocity\": [-1, 0, 0]}}, \"until\": 5}' \\
      | clearance query
    echo '{\"query\": \"cast\", \"a\": {\"sphere\": {\"radius\": 1}},' \\
      '\"origin\": [3, 0, 0], \"direction\": [-1, 0, 0], \"max\": 10}' \\
      | clearance query

Queries are intersects; distance; within (with \"margin\"); depth (the shortest translation of A that frees it, also for solids \
that are not convex; with \"scope\" any or outside, and \"budget\"); impact (with \"motion_a\", \"motion_b\", \"until\", and \
\"from\", 0 by default; poses are those at time 0); and cast: a ray (\"origin\", \"direction\", \"max\") against a, or b that \
moves straight (\"direction\", \"max\").

A MOTION is {\"fixed\": {}}, {\"linear\": {\"velocity\": […], \"angular_velocity\": […], \"center\": […]}}, \"ballistic\", which \
also has \"gravity\", or {\"keyframes\": [{\"time\": t, \"pose\": POSE}, …]}. An impact is \"hit\" with \"time\" and its bounds, \
\"clear\" with \"closest_approach\" between bounds, \"touching\" with the clearance at the start, or \"undecided\" from \
\"lower\" on, if the search has used up its steps. A cast has \"hit\": true, false, or null if it is undecided. An infinite \
bound is null.

Engines are auto, gjk, vclip and separating_vector. Lines with the same \"pair\" share a cache and must have the same two \
shapes. The program keeps the last 32768 pairs (fewer if the lines that began them have more than 8 MiB); an older name may \
begin again, with any shapes. Names of \"define\" and hulls of files are kept to the end. A line has at most 64 MiB.

The status of an answer is the tightness of its bracket: converged (closed), open (a depth between bounds), stalled (rounding \
ended the search), or bad_support (a custom shape returned a support point that is NaN, infinite or too far away; only programs \
that use the library have such shapes).

Exit codes: 0 every line was answered, 1 some line was not, 2 the input cannot be read.")]
pub struct QueryArgs {
    /// A file of query lines; - or nothing is the standard input
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// The engine for lines that name none: auto, gjk, vclip, separating_vector
    #[arg(long, value_name = "E", default_value_t = Engine::Auto)]
    pub engine: Engine,

    /// Answer all queries N times after parsing, and print the nanoseconds per query to stderr as one JSON line; this
    /// holds the whole stream in memory
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub time: Option<u32>,

    /// Add the question and the evidence to every answer, for `clearance verify`
    #[arg(long, conflicts_with = "time")]
    pub proof: bool,
}

/// Check evidence with exact arithmetic: that of a check (`check --proof`), or answers to queries (`query --proof`).
///
/// Every answer is proved, refuted (with the reason), or undecided, if the evidence is not enough. Proved means that every field is
/// true: the bracket, the witnesses, the normal, the status, the features, the margin, the times. The checker shares no code with
/// the engines that found the answers, and uses shapes and poses with the digits of the input.
///
/// With --scene the evidence must be that of a check of this scene: every pair has its lines, in order, with the shapes, poses,
/// motions, margin and interval of the scene. The checker trusts nothing in the evidence.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  A check, and its evidence compared with the scene:
    echo '{\"format\": \"clearance-scene/1\", \"bodies\": [' \\
      '{\"name\": \"ball\", \"shape\": {\"sphere\": {\"radius\": 1}}},' \\
      '{\"name\": \"floor\", \"shape\": {\"half_space\":' \\
      '{\"normal\": [0, 1, 0], \"offset\": -1.02}}}]}' > cell.json
    clearance check cell.json --margin 0.1 --proof evidence.jsonl
    clearance verify --scene cell.json --margin 0.1 --strict evidence.jsonl
  Answers with evidence, and a list of the refuted ones:
    echo '{\"id\": 1, \"query\": \"distance\", \"a\": {\"sphere\": {\"radius\": 1}},' \\
      '\"b\": {\"point\": {}}, \"pose_b\": {\"translation\": [3, 0, 0]}}' \\
      > queries.jsonl
    clearance query --proof queries.jsonl > answers.jsonl
    clearance verify answers.jsonl
  Also the undecided ones, with the reason:
    clearance verify answers.jsonl --undecided
  For another program:
    clearance query --proof queries.jsonl | clearance verify --json

The evidence of a check begins with a header and ends with a trailer, which has a hash of all lines. Without --scene the checker \
compares both with the lines between them, which detects accidents but no forgery. Input without a header is a stream of \
answers, in which each line stands for itself. Empty input is an error.

Undecided are: answers without evidence; answers with a field that cannot be checked (the message names it); impacts and casts \
that may be a graze (\"upper\" is null); depths of very thin curved shapes for which no evidence is close enough; meshes of more \
than a million triangles; and lines that would take more work than their length allows. \"intersects\": true is proved if \
doubles can show no gap (64 units in the last place of the size), \"intersects\": false if there is any gap. Lines with an \
\"error\" are counted apart. Lines that cannot be read, or do not belong where they are, are bad; the others are checked \
nevertheless.

JSON is {\"answers\": n, \"proved\": n, \"refuted\": [{\"line\": n, \"id\": …, \"reason\": \"…\"}, …], \"undecided\": […], \
\"errors\": n, \"bad\": […], \"pairs\": {\"pairs\": n, \"clear\": n, \"meet\": n, \"open\": n}}, with \"pairs\" for a check \
only.

Exit codes: 0 no answer is refuted (with --strict: all are proved), 1 an answer is refuted (or not proved), 2 bad input: lines that cannot be \
read, and evidence that is empty, cut off, altered, or of another scene.")]
pub struct VerifyArgs {
    /// A file of evidence lines; - or nothing is the standard input
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Demand evidence of every pair of this scene; several make one scene, as for `clearance check`
    #[arg(long, value_name = "SCENE|MESH|FOLDER")]
    pub scene: Vec<PathBuf>,

    /// The margin of the check [default: 0]
    #[arg(long, value_name = "M", value_parser = margin, allow_negative_numbers = true, requires = "scene")]
    pub margin: Option<f64>,

    /// The end of the interval of the check; without it the bodies stand still
    #[arg(long, value_name = "T", value_parser = until, allow_negative_numbers = true, requires = "scene")]
    pub until: Option<f64>,

    /// Let scenes name mesh files below this folder, too
    #[arg(long, value_name = "FOLDER", requires = "scene")]
    pub allow: Vec<PathBuf>,

    /// A rule that was checked with, besides those of the scene; may be given several times
    #[arg(long = "rule", value_name = "RULE", value_parser = rule, requires = "scene")]
    pub rules: Vec<Rule>,

    /// The MESH files were checked as their convex hulls
    #[arg(long, requires = "scene")]
    pub hull: bool,

    /// The lengths of the MESH files were multiplied by this
    #[arg(long, value_name = "F", value_parser = scale, requires = "scene")]
    pub scale: Option<f64>,

    /// The unit of the check (um, mm, cm, m, in, ft)
    #[arg(long, value_name = "U", conflicts_with = "hull", requires = "scene")]
    pub unit: Option<Unit>,

    /// Also fail (exit code 1) if an answer is undecided or missing, and name it
    #[arg(long)]
    pub strict: bool,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Also name the answers that are neither proved nor refuted
    #[arg(long)]
    pub undecided: bool,
}

/// Write the convex hull of a mesh, and print its size.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  The hull of four points:
    printf 'v %s\\n' '0 0 0' '1 0 0' '0 1 0' '0 0 1' > part.obj
    clearance hull part.obj -o hull.obj

The hull is exact: its vertices are those of the mesh. The ending of FILE tells the format: .obj and .ply have all digits, .stl is \
binary and has single precision, .json is a scene.

Exit codes: 0 written, 2 bad input.")]
pub struct HullArgs {
    /// A mesh (.obj, .stl, .ply, .off, .gltf, .glb, .3mf, .dae, .wrl)
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,

    /// Where to write it (.obj, .json, .stl, .ply)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Cut a mesh into convex pieces, and print the proved bounds.
///
/// The pieces of a solid are proved to cover it, or with --inner to be inside of it; they may overlap. The summary says if the
/// solid is exactly their union. Open parts get pieces that cover their surface, named approximate. Every piece has a proved bound on its
/// extent beyond the mesh.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  A box is one piece:
    { printf 'v %s\\n' '0 0 0' '1 0 0' '0 1 0' '1 1 0' \\
        '0 0 1' '1 0 1' '0 1 1' '1 1 1';
      printf 'f %s\\n' '1 3 4 2' '5 6 8 7' '1 2 6 5' '3 7 8 4' \\
        '1 5 7 3' '2 4 8 6'; } > box.obj
    clearance decompose box.obj -o pieces.obj
  As a scene with a compound, for every convex engine:
    clearance decompose box.obj -o pieces.json
    clearance check pieces.json

Curved parts take many pieces: --pieces limits their number, and --concavity their extent beyond the mesh. An .obj file has an object \
for each piece, with its kind in the name.

Exit codes: 0 written, 2 bad input, or with --inner no piece is proved to be inside.")]
pub struct DecomposeArgs {
    /// A mesh (.obj, .stl, .ply, .off, .gltf, .glb, .3mf, .dae, .wrl)
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,

    /// Where to write the pieces (.obj, .json; .stl and .ply for a single piece)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Limit on the number of pieces
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub pieces: usize,

    /// Cut pieces until none extends farther beyond the mesh than this part of its longest side
    #[arg(long, value_name = "PART", default_value_t = 0.025, value_parser = part)]
    pub concavity: f64,

    /// Describe every piece, in a line of JSON for each body of the file
    #[arg(long)]
    pub json: bool,

    /// Pieces that are inside of the solid instead of pieces that cover it
    #[arg(long)]
    pub inner: bool,

    /// Convex patches of the surface instead of pieces of the solid
    #[arg(long, conflicts_with = "inner")]
    pub surface: bool,
}

/// Simulate rigid bodies: how they move, collide and rest.
///
/// SCENE is the name of a built-in scene (see --list), or a .json file in the format of Rigid IPC. Without it the program simulates a cradle of five
/// balls.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  A built-in scene:
    clearance simulate
  The names of all built-in scenes:
    clearance simulate --list
  Billiards, and a page that plays them:
    clearance simulate billiards --seconds 1 --report billiards.html
  Bowling, in steps:
    clearance simulate bowling --mode steps --seconds 1
  For another program, and the poses at 60 times a second:
    clearance simulate bullet --json -o bullet.jsonl

In the mode event bodies fly freely from impact to impact. The times of impact are proved: none is missed, however fast a body is, and no two bodies overlap. \
Bodies collide when their gap is the collision epsilon; bodies at rest hop within it. Simultaneous impacts are resolved together. Scenes of many bodies that rest on each \
other take long in this mode, and one that would take infinitely many impacts ends with a sentence that says where. In the mode steps contacts are soft constraints within a small gap: bodies that would use it up stop before \
their proved time of impact. In the mode penalty bodies that overlap push each other along their penetration depth, from their time of collision on; the energy never grows.

JSON is one object: \"format\" (clearance-simulate/1), \"scene\", \"mode\", \"seconds\", \"steps\" (fixed steps, or impulses of springs), \"events\" (impacts), \"checks\" (distance queries of the search for impacts), \"worst_penetration\" (measured 60 times a second), \
\"epsilon\", \"start\" and \"end\" with \"energy\" and \"momentum\", \"collision_times\" (of the mode penalty: how many were found by cubics, by bisection and by proof, else null), \"stopped\" (why it ended early, or null) and \"poses\" by name. The file of -o has lines of JSON, \
clearance-recording/1: a head with the names of the bodies, then a frame in each line with the poses of the bodies that moved.

Exit codes: 0 simulated; 2 bad input; 3 it could not go on until the end: the summary is about the time before.")]
pub struct SimulateArgs {
    /// A built-in scene, or a .json file of Rigid IPC [default: cradle]
    #[arg(value_name = "NAME|SCENE")]
    pub scene: Option<String>,

    /// How long [default: as the scene says, else 2]
    #[arg(long, value_name = "S", value_parser = until, allow_negative_numbers = true)]
    pub seconds: Option<f64>,

    /// How the scene advances
    #[arg(long, value_enum, default_value_t = SimulateMode::Event)]
    pub mode: SimulateMode,

    /// Steps per second in the mode steps, and their least number in the mode penalty [default: 60]
    #[arg(long, value_name = "N", value_parser = scale)]
    pub rate: Option<f64>,

    /// The gap at which bodies collide in the mode event [default: a ten-thousandth of the smallest moving body]
    #[arg(long, value_name = "E", value_parser = scale)]
    pub epsilon: Option<f64>,

    /// The folder of the meshes [default: that of SCENE, and "meshes" in the folders above it]
    #[arg(long, value_name = "FOLDER")]
    pub meshes: Option<PathBuf>,

    /// Also write the poses of the bodies, 60 times a second
    #[arg(short, long, value_name = "FILE.jsonl", value_parser = lines)]
    pub output: Option<PathBuf>,

    /// Also write a page that plays it: one file, for any browser
    #[arg(long, value_name = "FILE.html", value_parser = page)]
    pub report: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print the names of the built-in scenes, and simulate nothing
    #[arg(long, conflicts_with_all = ["scene", "output", "report", "json"])]
    pub list: bool,
}

/// See [`clearance_sim::Mode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SimulateMode {
    /// From impact to impact, at proved times
    Event,
    /// In fixed steps with soft contacts, for piles and bodies at rest
    Steps,
    /// With springs along the penetration depth of solids
    Penalty,
}

impl From<SimulateMode> for clearance_sim::Mode {
    fn from(mode: SimulateMode) -> Self {
        match mode {
            SimulateMode::Event => Self::Event,
            SimulateMode::Steps => Self::Steps,
            SimulateMode::Penalty => Self::Penalty,
        }
    }
}

fn page(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_page = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html") || ending == "htm");
    if is_page { Ok(path) } else { Err("it is a page; name a file ending in .html".into()) }
}

fn bcf(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_bcf =
        path.extension().is_some_and(|ending| ["bcf", "bcfzip"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
    if is_bcf { Ok(path) } else { Err("it is a BCF file; name a file ending in .bcf or .bcfzip".into()) }
}

fn lines(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_stream = text == "-" || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("jsonl"));
    if is_stream {
        Ok(path)
    } else {
        Err("it is a file of lines; name one ending in .jsonl, or - for the standard output".into())
    }
}

fn scale(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it must be a number".to_owned())?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("it must be a finite number above 0".into()) }
}

fn part(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it must be a number".to_owned())?;
    if value > 0.0 && value <= 1.0 { Ok(value) } else { Err("it must be a number above 0, up to 1".into()) }
}

fn margin(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it must be a number".to_owned())?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err("it must be a finite number from 0 up".into()) }
}

fn rule(text: &str) -> Result<Rule, String> {
    text.parse()
}

fn until(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it must be a number".to_owned())?;
    if value > 0.0 && value <= MAX_COORDINATE {
        Ok(value)
    } else {
        Err("it must be a number above 0, up to 1e60".into())
    }
}
