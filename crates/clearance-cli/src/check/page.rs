//! The result of a check, as a page.

use super::until::Meeting;
use super::{Answer, Checked, Found, Report, first};
use crate::args::SceneArgs;
use crate::replace::Replacement;
use crate::report::{self, FINDINGS, Finding, MOST_FINDINGS, Summary};
use clearance_io::WrittenApproach;
use std::io;
use std::path::Path;

/// How many findings a page gets.
pub fn findings(args: &SceneArgs) -> usize {
    match args.limit {
        None => FINDINGS,
        Some(0) => MOST_FINDINGS,
        Some(limit) => limit.min(MOST_FINDINGS),
    }
}

/// Writes the page of a check to a file; what was there before is replaced only by a page that is complete.
pub fn write(path: &Path, checked: &Checked, args: &SceneArgs) -> Result<(), String> {
    let fault = |error: io::Error| format!("{} cannot be written: {error}", path.display());
    let file = Replacement::create(path).map_err(fault)?;
    write_to(file, checked, args).map_err(|sentence| format!("{}: {sentence}", path.display()))
}

/// Writes the page of a check, and finishes the file.
pub fn write_to(mut file: Replacement, checked: &Checked, args: &SceneArgs) -> Result<(), String> {
    let report = checked.report();
    let (until, impacts) = match &checked.answer {
        Answer::Still(_) => (None, 0),
        Answer::Moving(timeline) => (Some(timeline.until), timeline.impacts),
    };
    let explained = report.meshes.as_deref().map_or_else(Vec::new, super::explain::sentences);
    let rules: Vec<String> = report.rules.iter().filter_map(super::RuleReport::sentence).collect();
    let resolved = report
        .followup
        .as_ref()
        .map_or_else(Vec::new, |followup| followup.resolved.iter().map(super::issues::Resolved::sentence).collect());
    let summary = Summary {
        title: title(args),
        unit: checked.unit,
        margin: report.margin,
        until,
        checked: report.checked,
        overlaps: report.overlaps,
        undecided: report.undecided,
        within: report.within,
        impacts,
        fail_within: report.fail_within,
        too_close: report.too_close,
        shells: report.shells.clone(),
        filled_holes: report.holes.clone(),
        plot: None,
        up: checked.up,
        notes: [&report.crossed[..], &report.notes, &explained, &report.skipped, &rules, &resolved].concat(),
    };
    let most = Some(findings(args));
    let findings: Vec<Finding> = match &checked.answer {
        Answer::Still(report) => first(&report.pairs, most).iter().map(|found| still(report, found)).collect(),
        Answer::Moving(timeline) => {
            first(&timeline.pairs, most).iter().map(|meeting| moving(report, meeting)).collect()
        }
    };
    report::write(&mut file, &checked.scene, &summary, &findings)?;
    file.finish().map_err(|error| crate::output::cannot_write(&error))
}

/// The files that were checked, without their folders: a page may be sent to others.
pub fn title(args: &SceneArgs) -> String {
    let name = |path: &std::path::PathBuf| {
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    match &args.inputs[..] {
        [] => "Built-in scene".into(),
        [one] => name(one),
        [one, two] => format!("{}, {}", name(one), name(two)),
        [one, rest @ ..] => format!("{} and {} more", name(one), rest.len()),
    }
}

fn still(report: &Report, found: &Found) -> Finding {
    Finding { pair: found.written(report, found.bodies, found.state()), impact: None, closest_approach: None }
}

fn moving(report: &Report, meeting: &Meeting) -> Finding {
    let Meeting { start, impact } = meeting;
    let closest_approach = impact.approach().map(WrittenApproach::from);
    Finding {
        pair: start.written(report, start.bodies, meeting.state()),
        impact: Some(impact.into()),
        closest_approach,
    }
}
