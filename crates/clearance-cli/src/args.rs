//! The command line.

use clap::{Parser, Subcommand};
use clearance::Engine;
use clearance::error::MAX_COORDINATE;
use clearance_io::Unit;
use std::path::PathBuf;

/// The margin for the built-in scene, whose unit is the metre. Limit: of two pairs of that scene that are close, this margin reports one.
pub const BUILT_IN_MARGIN: f64 = 0.1;

/// Which parts collide, and how close the others come.
#[derive(Parser)]
#[command(name = "clearance", version, arg_required_else_help = true)]
#[command(
    after_help = "Run `clearance check` for a first look at a built-in scene, and `clearance COMMAND --help` for \
                        examples and exit codes."
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Check(CheckArgs),
    View(ViewArgs),
    Query(QueryArgs),
    Verify(VerifyArgs),
    Hull(HullArgs),
    Decompose(DecomposeArgs),
    Simulate(SimulateArgs),
}

/// List every pair of bodies that overlaps or is closer than a margin, worst first.
///
/// A SCENE is a .json file in the format clearance-scene/1; a MESH is an OBJ, STL, PLY, OFF, glTF or 3MF file. A mesh whose
/// surface is closed is a solid, and what is inside of it overlaps it; any other is a shell, and a body that may be inside of it is undecided. Several
/// of both may be given, also as folders, and are checked together. Without any, a built-in scene of a small robot work
/// cell is checked, with a margin of 0.1 m.
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
  The ten worst; how many there are is always told:
    clearance check cell.json --limit 10
  A mesh and a scene, for another program and for a spreadsheet:
    { printf 'v %s\\n' '0 0 0' '1 0 0' '0 1 0' '0 0 1';
      printf 'f %s\\n' '1 3 2' '1 2 4' '2 3 4' '3 1 4'; } > part.obj
    clearance check cell.json part.obj --json
    clearance check cell.json part.obj --csv > report.csv
  What is wrong with a mesh, and a check of its convex hull:
    clearance check part.obj --explain
    clearance check cell.json part.obj --hull
  Parts in millimetres beside a scene in metres:
    clearance check cell.json part.obj --scale 0.001
  Fail when something is closer than 0.01:
    clearance check cell.json --fail-within 0.01
  A page that shows it in 3-D:
    clearance check cell.json part.obj --report page.html
  Bodies that move: what collides within a second, and when:
    echo '{\"format\": \"clearance-scene/1\", \"bodies\": [' \\
      '{\"name\": \"bullet\", \"shape\": {\"sphere\": {\"radius\": 0.01}},' \\
      '\"motion\": {\"linear\": {\"velocity\": [900, 0, 0]}}},' \\
      '{\"name\": \"wall\", \"shape\": {\"cuboid\":' \\
      '{\"half_extents\": [0.001, 1, 1]}},' \\
      '\"pose\": {\"translation\": [100, 0, 0]}}]}' > shot.json
    clearance check shot.json --until 1
  A robot at a configuration, among the bodies of a scene, and a path of it:
    clearance check arm.urdf --srdf arm.srdf --joints \"shoulder=0.5 elbow=-1\" cell.json
    clearance check arm.urdf cell.json --path path.csv --report page.html
  What that rests on, checked by a program that shares no code with it:
    clearance check shot.json --until 1 --proof evidence.jsonl
    clearance verify evidence.jsonl

Overlap means that the two are not proved apart: touching counts, and so does a pair whose gap is too small to be told \
from zero. Bodies of the same group and pairs that the scene ignores are not checked; groups of the same name \
in several scenes are one group. Lengths are in the unit of the scene; glTF is in metres, 3MF says its unit, and with --unit these are \
converted. The depth of bodies that overlap, convex or not, is told between proved bounds, with a translation of a that frees it; \
while that bracket is open, \"distance\" is minus the lower bound, in the table, JSON and CSV. A list of more than 100 pairs is announced by their \
number.

With --until bodies move as their \"motion\" says, from time zero on, and none is missed, however fast: a table row is an OVERLAP at \
the start, a COLLISION with its time (proved apart before it, and overlapping within what is told), a GRAZE that rounding \
cannot tell from a miss, or clear: proved for all times, with the closest approach, its bounds and when. Bodies without a motion rest.

A .urdf file is a robot. Its links are checked against each other but for neighbours and the pairs of --srdf, and against the bodies of all other files. The answer \
is the closest pair at the configuration of --joints, with proven bounds. With --path every straight edge between two configurations is proved free at all times, with a lower bound of the clearance, or has \
its first contact between two fractions of the edge, or is UNDECIDED. The page of --report plays the path, with a plot of the clearance.

A mesh that is not closed has no inside, but may be meant as a solid. A pair of which one body lies in the box of such a mesh, does not cross its surface and is \
not apart from its convex hull is UNDECIDED. --surfaces says that open meshes are meant as surfaces; --fill-holes closes their holes and reports each.

JSON is one object: \"format\" (clearance-check/1), \"bodies\", \"checked\" (pairs), \"margin\", \"overlaps\", \"within\" and \"undecided\" (how many), \
\"fail_within\" and \"too_close\" (how many pairs are closer), \"filled_holes\", \"crossed_faces\", \"notes\" (differences between files and bodies), \"skipped_files\", \"convex_hulls\" (the meshes that are checked as their hulls), \"shells\" (those that are not closed) and \"pairs\", of which each has a \"state\" (overlap, collision, graze, undecided, gap, clear), undecided ones the reason, and those that overlap have \"depth\": \"lower\", \"upper\" and \"translation\". A bound that is infinite is null. With --until there are also \"until\" and \"impacts\" (how many), and every pair, which is \
told as it is at the start, has \"impact\": an object with \"time\", \"lower\", \"upper\", \"point_a\", \"point_b\", \"normal\", or \
\"touching\", or \"clear\" beside \"closest_approach\" (\"lower\", \"upper\", \"time\"), or \"undecided\" beside \"undecided_from\", before which they are apart. CSV has the \
fields of a pair as columns, and in the last ones of every row its status, the margin, the pairs checked, the format, the state and why it is undecided.

For a robot it has \"format\" (clearance-robot/1), \"robot\", \"joints\", \"links\", \"obstacles\", \"pairs\", \"notes\" and \"state\" (free, contact, too_close, undecided). Without --path there are \"configuration\", \"outside_limits\" and \"clearance\" (\"distance\", \"lower\", \"upper\", \"parts\", \"point_a\", \"point_b\", \"normal\"), with --path \"waypoints\" (how many), \"lower\" and \"edges\", up to the first that is not free: \"free\", \"lower\", \"upper\", \"at\", \"free_until\", \"contact\" and \"undecided\".

The page of --report is one file without any other, which needs no network; `clearance view` writes and opens it. With --watch the \
files, the folders given and those of the scenes are watched, and a mistake in a file is told without an end; JSON is then a line for each check.

The file of --proof has the answers of `clearance query --proof`, with the names of the two bodies as \"id\". It is about every pair that was checked, listed or not: \
without --until a line that it is within the margin, and how, or beyond it; and for solids that are not convex and overlap a second one about the depth, with \
the nodes of --nodes. With --until a line that it hits, when and where, or is clear, with a closest approach whose lower bound, of compounds and meshes, may be less than that of the report, or \
touches at the start. How many pairs there is no evidence for is told; their lines are undecided.

Exit codes: 0 clear; 1 something overlaps or collides, or is closer than --fail-within; 2 bad input, or a file left out by --skip-bad; \
3 undecided: nothing is known to overlap, but some pair is not proved apart either.")]
pub struct CheckArgs {
    #[command(flatten)]
    pub scene: SceneArgs,

    #[command(flatten)]
    pub robot: RobotArgs,

    /// Fail, with the exit code 1, when something is not proved to be at least M apart; such pairs are listed
    #[arg(long, value_name = "M", value_parser = margin, allow_negative_numbers = true)]
    pub fail_within: Option<f64>,

    /// Tell what every mesh is and what is wrong with it: above the table, or under "meshes" in JSON
    #[arg(long, conflicts_with = "csv")]
    pub explain: bool,

    /// Also write what was found as a page that shows it in 3-D: one file, for any browser
    #[arg(long, value_name = "FILE.html", value_parser = page)]
    pub report: Option<PathBuf>,

    /// Also write the evidence of the check, lines for every pair that was checked, for `clearance verify --scene`; - is the
    /// standard output, which then has the lines instead of the report
    #[arg(long, value_name = "FILE.jsonl", value_parser = lines, conflicts_with_all = ["watch", "fill_holes", "skip_bad"])]
    pub proof: Option<PathBuf>,

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

    /// Let the bodies move for T seconds, as their motions say, and tell what collides when
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

    /// The unit to check in (um, mm, cm, m, in, ft): files that state another one are converted to it, the others are
    /// taken to be in it
    #[arg(long, value_name = "U")]
    pub unit: Option<Unit>,

    /// Take meshes that are not closed for surfaces, with no inside that a body could be in
    #[arg(long)]
    pub surfaces: bool,

    /// Close the holes of meshes that are not closed; each is reported with its size and place
    #[arg(long, conflicts_with = "surfaces")]
    pub fill_holes: bool,

    /// Let scenes name mesh files below this folder, too, by `..` or by their whole path; may be given several times
    #[arg(long, value_name = "FOLDER")]
    pub allow: Vec<PathBuf>,

    /// Check the other files when some cannot be read, and exit with 2 at the end
    #[arg(long)]
    pub skip_bad: bool,
}

/// Show a scene in 3-D in the browser, with what overlaps or comes close in it.
///
/// The page is that of `clearance check --report`: one file, which can be sent to others. Without files the built-in scene is
/// shown.
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

Exit codes: 0 the page is written, whatever it shows; 2 bad input, or it cannot be written.")]
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
/// answered gets {"id": …, "error": "…"} and the stream goes on. Mesh files are looked for in the folder of FILE, or in
/// the current folder for the standard input.
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
  By another engine, and how long it takes:
    clearance query --engine gjk --time 100 queries.jsonl > answers.jsonl
  With evidence, which is then checked:
    clearance query --proof queries.jsonl | clearance verify
  When two shapes meet that move, and where a ray hits:
    echo '{\"query\": \"impact\", \"a\": {\"sphere\": {\"radius\": 1}},' \\
      '\"b\": {\"point\": {}}, \"pose_b\": {\"translation\": [3, 0, 0]},' \\
      '\"motion_b\": {\"linear\": {\"velocity\": [-1, 0, 0]}}, \"until\": 5}' \\
      | clearance query
    echo '{\"query\": \"cast\", \"a\": {\"sphere\": {\"radius\": 1}},' \\
      '\"origin\": [3, 0, 0], \"direction\": [-1, 0, 0], \"max\": 10}' \\
      | clearance query

Queries are intersects, distance, within (with \"margin\"), depth (how far A has to move to come free of B, also for solids that are not convex; with \"scope\" any or outside, and \"budget\"), impact (with \"motion_a\", \"motion_b\", \"until\", and \"from\", which is \
0 if left out; poses are those at time 0) and cast: a ray (\"origin\", \"direction\", \"max\") against a, or b that moves straight \
(\"direction\", \"max\"). A MOTION is {\"fixed\": {}}, {\"linear\": {\"velocity\": […], \"angular_velocity\": […], \"center\": […]}}, \"ballistic\" \
with \"gravity\" besides, or {\"keyframes\": [{\"time\": t, \"pose\": POSE}, …]}. An impact is \"hit\" with \"time\" and its bounds, \"clear\" with \
\"closest_approach\" between bounds, \"touching\" at the start with the clearance there, or \"undecided\" from \"lower\" on, where the search has used up its steps; a cast has \"hit\": true, false, or null if it is undecided. Engines are auto, gjk, vclip \
and separating_vector. Lines with the same \"pair\" share what was learned about two shapes, which must stay \
the same. The 32768 pairs used last are remembered (fewer if the lines that began them have more than 8 MiB); a name that \
was forgotten begins anew, with the same answers and any shapes. Names of \"define\" and hulls of files are kept to the end. \
A bound that is infinite is written as null. A line has at most 64 MiB.

The status of an answer says how tight its bracket is: converged (closed), open (a depth is known between bounds), stalled \
(rounding ended the search), or bad_support (a shape of the caller's own returned a support point that is NaN, infinite or \
too far away; only programs that use the library have such shapes).

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

    /// Add to every answer what was asked and what the answer rests on, for `clearance verify`
    #[arg(long, conflicts_with = "time")]
    pub proof: bool,
}

/// Check evidence with exact arithmetic: that of a check (`check --proof`), or answers to queries (`query --proof`).
///
/// Every answer is proved, refuted (it is wrong, and why), or undecided: the evidence does not decide it. Proved means that
/// every field of it is true: the bracket, the witnesses, the normal, the status, the features, the margin, the times. The checker
/// shares no code with the engines that found the answers; it takes shapes and poses as the numbers that were written.
///
/// With --scene the evidence must be that of a check of this scene: every pair of it has its lines, in order, with the
/// shapes, poses, motions, margin and interval of the scene. Nothing in the evidence is believed.
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
  Answers with evidence, how many are proved, and which are refuted:
    echo '{\"id\": 1, \"query\": \"distance\", \"a\": {\"sphere\": {\"radius\": 1}},' \\
      '\"b\": {\"point\": {}}, \"pose_b\": {\"translation\": [3, 0, 0]}}' \\
      > queries.jsonl
    clearance query --proof queries.jsonl > answers.jsonl
    clearance verify answers.jsonl
  Also which are neither, and why:
    clearance verify answers.jsonl --undecided
  For another program:
    clearance query --proof queries.jsonl | clearance verify --json

The evidence of a check begins with a header and ends with a trailer, which has a hash of all lines; without --scene they are compared with the lines \
between them, which shows accidents but no forgery. Input without a header is a stream of answers, in which each line stands for itself. Empty input is an error.

Undecided are: answers without evidence, answers with a field that cannot be checked (it is named), impacts and casts that may be a graze (\"upper\" is null), depths of \
very thin curved shapes for which no evidence is close enough, meshes of more than a million triangles, and lines that \
would take more work than their length allows. \"intersects\": true is proved if there is no gap that doubles can see (64 units in the last place of the size), \
\"intersects\": false if there is a gap at all. Lines that are errors answer nothing and are counted apart. Lines that cannot be read, or do not belong where they are, \
are bad; the others are checked nevertheless. In JSON: {\"answers\": n, \"proved\": n, \"refuted\": [{\"line\": n, \"id\": …, \
\"reason\": \"…\"}, …], \"undecided\": […], \"errors\": n, \"bad\": […], \"pairs\": {\"pairs\": n, \"clear\": n, \"meet\": n, \"open\": n}}, the last for a check only.

Exit codes: 0 nothing is refuted (with --strict: everything is proved), 1 something is refuted (or not proved), 2 bad input: lines that cannot be read, evidence that is \
empty, breaks off, was altered, or is that of another scene.")]
pub struct VerifyArgs {
    /// A file of evidence lines; - or nothing is the standard input
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Demand evidence of every pair of this scene; several make one scene, as for `clearance check`
    #[arg(long, value_name = "SCENE|MESH|FOLDER")]
    pub scene: Vec<PathBuf>,

    /// The margin that is demanded [default: 0]
    #[arg(long, value_name = "M", value_parser = margin, allow_negative_numbers = true, requires = "scene")]
    pub margin: Option<f64>,

    /// The end of the interval that is demanded; without it the bodies rest
    #[arg(long, value_name = "T", value_parser = until, allow_negative_numbers = true, requires = "scene")]
    pub until: Option<f64>,

    /// Let scenes name mesh files below this folder, too
    #[arg(long, value_name = "FOLDER", requires = "scene")]
    pub allow: Vec<PathBuf>,

    /// The MESH files were checked as their convex hulls
    #[arg(long, requires = "scene")]
    pub hull: bool,

    /// The lengths of the MESH files were multiplied by this
    #[arg(long, value_name = "F", value_parser = scale, requires = "scene")]
    pub scale: Option<f64>,

    /// The unit that was checked in (um, mm, cm, m, in, ft)
    #[arg(long, value_name = "U", conflicts_with = "hull", requires = "scene")]
    pub unit: Option<Unit>,

    /// Also fail (exit code 1) if something is undecided or was not answered, and name it
    #[arg(long)]
    pub strict: bool,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Also name the answers that are neither proved nor refuted
    #[arg(long)]
    pub undecided: bool,
}

/// Write the convex hull of a mesh, and tell its size.
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

/// Cut a mesh into convex pieces, and tell what is proved about them.
///
/// The pieces of a solid are proved to cover it, or with --inner to be inside of it; they may overlap. Where the solid is exactly their
/// union, the summary says so. Open parts get pieces that cover their surface, named approximate. For every piece it is proved how far it reaches
/// beyond the mesh.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  A box is one piece:
    { printf 'v %s\\n' '0 0 0' '1 0 0' '0 1 0' '1 1 0' \\
        '0 0 1' '1 0 1' '0 1 1' '1 1 1';
      printf 'f %s\\n' '1 3 4 2' '5 6 8 7' '1 2 6 5' '3 7 8 4' \\
        '1 5 7 3' '2 4 8 6'; } > box.obj
    clearance decompose box.obj -o pieces.obj
  As a scene with a compound, which every convex engine can be asked about:
    clearance decompose box.obj -o pieces.json
    clearance check pieces.json

Curved parts take many pieces: --pieces bounds them, and --concavity how far they reach beyond the mesh. An .obj file has an object for \
each piece, with its kind in the name.

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

    /// Cut pieces until none reaches farther beyond the mesh than this part of its longest side
    #[arg(long, value_name = "PART", default_value_t = 0.025, value_parser = part)]
    pub concavity: f64,

    /// Tell about every piece, a line of JSON for each body of the file
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
/// SCENE is the name of a built-in scene, which --list tells, or a .json file in the format of Rigid IPC. Without it a cradle of five balls is
/// simulated.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  A built-in scene:
    clearance simulate
  Which there are:
    clearance simulate --list
  Billiards, and a page that plays them:
    clearance simulate billiards --seconds 1 --report billiards.html
  Bowling, in steps:
    clearance simulate bowling --mode steps --seconds 1
  For another program, and where all bodies were at 60 times a second:
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

    /// Also write where all bodies were, 60 times a second
    #[arg(short, long, value_name = "FILE.jsonl", value_parser = lines)]
    pub output: Option<PathBuf>,

    /// Also write a page that plays it: one file, for any browser
    #[arg(long, value_name = "FILE.html", value_parser = page)]
    pub report: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Tell the built-in scenes, and simulate nothing
    #[arg(long, conflicts_with_all = ["scene", "output", "report", "json"])]
    pub list: bool,
}

/// See [`clearance_sim::Mode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SimulateMode {
    /// From impact to impact, at proved times
    Event,
    /// In fixed steps with soft contacts, for piles and all that rests
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

fn until(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it must be a number".to_owned())?;
    if value > 0.0 && value <= MAX_COORDINATE {
        Ok(value)
    } else {
        Err("it must be a number above 0, up to 1e60".into())
    }
}
