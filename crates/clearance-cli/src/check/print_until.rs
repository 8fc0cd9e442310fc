//! The report of a check over time: a table for people, JSON and CSV for programs.

use super::print::{self, DIGITS, FORMAT, Head, LONG, csv_field, interval, numbers, short, triple};
use super::table::{self, Side};
use super::until::{Meeting, Timeline};
use super::words;
use crate::output::printable;
use clearance::Impact;
use clearance_io::{PairUntil, WrittenApproach, WrittenHit, counted};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// Significant digits of times. Limit: two more than lengths have, since times are compared by their difference.
pub(super) const TIME_DIGITS: i32 = 6;

/// A table and a line that sums it up; a terminal has a width.
pub fn table(out: &mut impl Write, timeline: &Timeline, width: Option<usize>, hint: &str) -> io::Result<()> {
    print::preface(out, &timeline.report)?;
    let (listed, count) = (timeline.listed().len() as u64, timeline.count());
    if count > LONG {
        let which = if listed < count { format!("the first {listed} follow") } else { "all follow".into() };
        writeln!(out, "{count} pairs overlap, collide or are within the margin; {which}:\n")?;
    }
    if listed > 0 {
        lay_out(out, timeline, width)?;
    }
    if listed < count {
        writeln!(out, "… and {} more; --limit 0 lists all, as do --json and --csv.", count - listed)?;
    }
    if timeline.is_at_rest {
        writeln!(out, "No body has a motion: all rest where they are.")?;
    }
    print::notes(out, &timeline.report)?;
    if let Some(worst) = words::worst_of(timeline) {
        writeln!(out, "{worst}\n{hint}")?;
    }
    out.write_all(summary(timeline).as_bytes())
}

const HEADER: [&str; 9] =
    ["a", "b", "state", "time (s)", "distance", "proved", "direction a to b", "point of a", "point of b"];

/// How many columns there are: all, and without those that a narrow terminal does without. Layout: the order of [`HEADER`].
const COLUMNS_THAT_FIT: [usize; 3] = [9, 7, 6];

fn lay_out(out: &mut impl Write, timeline: &Timeline, width: Option<usize>) -> io::Result<()> {
    let rows = || timeline.listed().iter().map(|meeting| cells(timeline, meeting));
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
    let sides = HEADER.map(|name| if matches!(name, "time (s)" | "distance") { Side::Right } else { Side::Left });
    table::write(out, &widths, &sides, &HEADER, rows())?;
    if fit.columns < HEADER.len() {
        writeln!(out, "More columns are in a wider terminal, --json or --csv.")?;
    }
    Ok(())
}

/// Of an impact the time is what is proved, of the others the distance.
fn cells(timeline: &Timeline, meeting: &Meeting) -> [String; 9] {
    let Meeting { start, impact } = meeting;
    let [a, b] = start.bodies.map(|body| printable(&timeline.report.names[body as usize]));
    let w = &start.shown();
    let [time, distance, proved] = match impact {
        Impact::Touching(_) => ["0".into(), print::distance(start), interval(w.distance, w.lower, w.upper)],
        Impact::Hit(hit) if hit.is_proved() => {
            let time = if short(hit.lower, DIGITS) == short(hit.upper, DIGITS) {
                format!("time {}", interval(hit.lower, hit.lower, hit.upper))
            } else {
                format!("time {} … {}", short(hit.lower, TIME_DIGITS), short(hit.upper, TIME_DIGITS))
            };
            [short(hit.lower, TIME_DIGITS), "0".into(), time]
        }
        // No overlap could be proved.
        Impact::Hit(hit) => [short(hit.lower, TIME_DIGITS), "0".into(), "not before".into()],
        Impact::Undecided(undecided) => {
            [short(undecided.from, TIME_DIGITS), print::distance(start), "apart before".into()]
        }
        Impact::Clear(approach) => {
            let time = if approach.upper == f64::INFINITY { String::new() } else { short(approach.time, DIGITS) };
            let proved = interval(approach.upper, approach.lower, approach.upper);
            [time, short(approach.upper, DIGITS), proved]
        }
    };
    let [normal, point_a, point_b] = match impact {
        Impact::Touching(_) => {
            [triple(w.normal.into(), 3), triple(w.point_a.into(), DIGITS), triple(w.point_b.into(), DIGITS)]
        }
        Impact::Hit(hit) => [triple(hit.normal, 3), triple(hit.point_a, DIGITS), triple(hit.point_b, DIGITS)],
        Impact::Clear(_) | Impact::Undecided(_) => Default::default(),
    };
    [a, b, timeline.report.word(start, meeting.state()), time, distance, proved, normal, point_a, point_b]
}

/// "3 bodies, 3 pairs checked until 2 s: 0 overlaps at the start, 1 collision, 1 within margin 0.5 (distances in scene units)".
fn summary(timeline: &Timeline) -> String {
    let report = &timeline.report;
    let bodies = counted(report.names.len() as u64, "body", "bodies");
    let checked = counted(report.checked, "pair", "pairs");
    let overlaps = counted(report.overlaps, "overlap", "overlaps");
    let impacts = counted(timeline.impacts, "collision", "collisions");
    let line = format!("{bodies}, {checked} checked until {} s: {overlaps} at the start, {impacts}", timeline.until);
    format!("{line}{}\n", print::rest_of_summary(report, timeline.count() > 0))
}

/// One object on one line; docs/src/formats.md has the fields.
pub fn json(out: &mut impl Write, timeline: &Timeline) -> io::Result<()> {
    #[derive(Serialize)]
    struct Output<'a> {
        #[serde(flatten)]
        head: Head<'a>,
        #[serde(serialize_with = "pairs")]
        pairs: &'a Timeline,
    }
    fn pairs<S: Serializer>(timeline: &Timeline, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(timeline.listed().iter().map(|meeting| {
            let Meeting { start, impact } = meeting;
            let names = start.bodies.map(|body| timeline.report.names[body as usize].as_str());
            let closest_approach = impact.approach().map(WrittenApproach::from);
            let undecided_from = match impact {
                Impact::Undecided(undecided) => Some(undecided.from),
                Impact::Hit(_) | Impact::Clear(_) | Impact::Touching(_) => None,
            };
            let start = start.written(&timeline.report, names, meeting.state());
            PairUntil { start, impact: impact.into(), closest_approach, undecided_from }
        }))
    }
    let output = Output { head: Head::new(&timeline.report, Some(timeline)), pairs: timeline };
    serde_json::to_writer(&mut *out, &output)?;
    writeln!(out)
}

const COLUMNS: &str = "a,b,overlap,distance,point_a_x,point_a_y,point_a_z,point_b_x,point_b_y,point_b_z,normal_x,normal_y,\
                       normal_z,lower,upper,impact,time,time_lower,time_upper,impact_point_a_x,impact_point_a_y,\
                       impact_point_a_z,impact_point_b_x,impact_point_b_y,impact_point_b_z,impact_normal_x,impact_normal_y,\
                       impact_normal_z,approach_lower,approach_upper,status,margin,until,checked,format,state,\
                       undecided,id,kind,life,cluster";

/// One line per pair, under a line of column names, as in a check without motions; what a pair does not have is empty.
pub fn csv(out: &mut impl Write, timeline: &Timeline) -> io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    let report = &timeline.report;
    for meeting in timeline.listed() {
        let Meeting { start, impact } = meeting;
        let [a, b] = start.bodies.map(|body| csv_field(&report.names[body as usize]));
        write!(out, "{a},{b},{}", matches!(impact, Impact::Touching(_)))?;
        numbers(out, &start.shown())?;
        match impact {
            Impact::Touching(_) => write!(out, ",touching{}", ",".repeat(14))?,
            Impact::Hit(hit) => {
                let WrittenHit { time, lower, upper, point_a, point_b, normal } = hit.into();
                write!(out, ",hit,{time:?},{lower:?},{upper:?}")?;
                for x in [point_a, point_b, normal].into_iter().flatten() {
                    write!(out, ",{x:?}")?;
                }
                write!(out, ",,")?;
            }
            Impact::Undecided(undecided) => {
                write!(out, ",undecided,{0:?},{0:?},{1}", undecided.from, ",".repeat(11))?;
            }
            Impact::Clear(approach) => {
                write!(out, ",clear,{:?}{},{:?},{:?}", approach.time, ",".repeat(11), approach.lower, approach.upper)?;
            }
        }
        let (margin, until) = (report.margin.unwrap_or(0.0), timeline.until);
        write!(out, ",{},{margin:?},{until:?},{},{FORMAT}", start.status.name(), report.checked)?;
        print::state(out, report, meeting.state(), start)?;
    }
    Ok(())
}
