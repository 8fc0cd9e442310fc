//! The command line.

use clap::{Parser, Subcommand};
use clearance::Engine;
use std::path::PathBuf;

/// The margin for the built-in scene, whose unit is the metre.
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
    Query(QueryArgs),
    Verify(VerifyArgs),
}

/// List every pair of bodies that overlaps or is closer than a margin, worst first.
///
/// A SCENE is a .json file in the format clearance-scene/1; a MESH is an .obj or .stl file and stands for its convex
/// hull, without holes and hollows. Several of both may be given and are checked together. Without any, a built-in scene
/// of a small robot work cell is checked, with a margin of 0.1 m.
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
    printf 'v %s\\n' '0 0 0' '1 0 0' '0 1 0' '0 0 1' > part.obj
    clearance check cell.json part.obj --json
    clearance check cell.json part.obj --csv > report.csv

Overlap means that the two are not proved apart: touching counts, and so does a pair whose gap is too small to be told \
from zero. Bodies of the same group and pairs that the scene ignores are not checked; groups of the same name \
in several scenes are one group. Lengths are in the unit of the scene. A list of more than 100 pairs is announced by their \
number.

JSON is one object: \"format\" (clearance-check/1), \"bodies\", \"checked\" (pairs), \"margin\", \"overlaps\" and \"within\" (how many), \
\"convex_hulls\" (the meshes, which are checked as their hulls) and \"pairs\". A bound that is infinite is null. CSV has the \
fields of a pair as columns, and in the last ones of every row its status, the margin, the pairs checked and the format.

Exit codes: 0 nothing overlaps, 1 something overlaps, 2 bad input.")]
pub struct CheckArgs {
    /// Scenes (.json) and meshes (.obj, .stl)
    #[arg(value_name = "SCENE|MESH")]
    pub inputs: Vec<PathBuf>,

    /// Also list pairs that are at most this far apart, in the unit of the scene
    #[arg(long, value_name = "M", value_parser = margin, allow_negative_numbers = true)]
    pub margin: Option<f64>,

    /// List only the N worst pairs; 0 lists all [default: 100 in a table on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Print comma-separated values with a header
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
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

Queries are intersects, distance and within (with \"margin\"). Engines are auto, gjk, gjk_johnson, vclip, \
lin_canny and separating_vector. Lines with the same \"pair\" share what was learned about two shapes, which must stay \
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

    /// The engine for lines that name none: auto, gjk, gjk_johnson, vclip, lin_canny, separating_vector
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

/// Check a stream of answers with exact arithmetic, by the evidence that `clearance query --proof` put into them.
///
/// Every answer is proved, refuted (it is wrong, and why), or undecided: the evidence does not decide it. Proved means that
/// every field of it is true: the bracket, the witnesses, the normal, the status, the features, the margin. The checker
/// shares no code with what found the answers; it takes shapes and poses as the numbers that were written.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
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

Undecided are: answers without evidence, answers with a field that cannot be checked (it is named), depths of \
very thin curved shapes for which no evidence is close enough, meshes of more than a million triangles, and lines that \
would take more work than their length allows. \"intersects\": true is proved if there is no gap that doubles can see (64 units in the last place of the size), \
\"intersects\": false if there is a gap at all. Lines that are errors answer nothing and are counted apart. In JSON: {\"answers\": n, \"proved\": n, \"refuted\": [{\"line\": n, \"id\": …, \
\"reason\": \"…\"}, …], \"undecided\": […], \"errors\": n}.

Exit codes: 0 nothing is refuted, 1 something is refuted, 2 bad input.")]
pub struct VerifyArgs {
    /// A file of answer lines; - or nothing is the standard input
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,

    /// Also name the answers that are neither proved nor refuted
    #[arg(long)]
    pub undecided: bool,
}

fn margin(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it must be a number".to_owned())?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err("it must be a finite number from 0 up".into()) }
}
