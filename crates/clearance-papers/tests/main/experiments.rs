//! The experiments of the V-Clip paper in their short form: that they run, that no answer is wrong, and that the paper's order
//! of the three algorithms comes out. Operations are counted, not timed, so that all of it is the same everywhere.

use clearance_papers::tables;
use clearance_papers::vclip::coherence::Row;
use std::process::Command;

#[test]
fn no_answer_is_wrong_and_vclip_needs_no_fallback() {
    let results = tables::run(true);
    for row in &results.rows {
        let what = format!("{}, {} degrees", row.shape, row.degrees);
        assert!(row.vclip.difference <= 1e-12 && row.lin_canny.difference <= 1e-12, "{what}: {row:?}");
        assert_eq!((row.vclip.fallbacks, row.gjk.fallbacks), (0, 0), "{what}");
        assert_eq!(row.lin_canny.fallbacks, row.faults.calls(), "{what}");
        for column in [row.vclip, row.lin_canny, row.gjk] {
            let counts = column.counts;
            assert!(counts.feature_steps >= row.calls as u64 && counts.flops > 5 * counts.dot_products, "{what}");
            assert!(column.nanoseconds > 0.0, "{what}");
        }
    }
    for (engine, setting, report) in &results.reports {
        assert_eq!([report.wrong, report.false_penetrations], [0; 2], "{engine} {setting:?} {report:?}");
        assert!(*engine != "vclip" || report.fallbacks == 0, "{setting:?} {report:?}");
        assert!(*engine != "lin_canny" || report.faults.calls() > 0, "{setting:?} {report:?}");
    }
    let text = results.tables();
    for heading in ["V-Clip", "Lin-Canny", "warm GJK", "flops", "cycles", "inexact", "tolerance", "half side"] {
        assert!(text.contains(heading), "{heading} is missing from\n{text}");
    }
    the_papers_order(&results.rows);
}

/// Figures 9 to 12 of the paper, by floating-point operations, where anything moves at all.
fn the_papers_order(rows: &[Row]) {
    for row in rows.iter().filter(|row| row.degrees > 0.0) {
        let [vclip, lin_canny, gjk] = [row.vclip, row.lin_canny, row.gjk].map(|column| column.counts.flops);
        let what = format!("{}, {} degrees: {vclip} {lin_canny} {gjk}", row.shape, row.degrees);
        match row.shape {
            // V-Clip and Lin-Canny are alike, GJK takes half as much again or more.
            "cube" | "icosahedron" => assert!(3 * vclip.max(lin_canny) < 2 * gjk, "{what}"),
            "disk" => assert!(vclip < lin_canny && vclip < gjk, "{what}"),
            // GJK overtakes Lin-Canny as coherence falls.
            _ if row.degrees <= 5.0 => assert!(lin_canny < gjk, "{what}"),
            _ if row.degrees >= 20.0 => assert!(gjk < lin_canny, "{what}"),
            _ => {}
        }
    }
}

#[test]
fn the_program_prints_the_tables_and_refuses_what_it_does_not_know() {
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_clearance-papers")).args(arguments).output().expect("it runs")
    };
    let printed = run(&["--tables", "--quick"]);
    assert!(printed.status.success());
    let text = String::from_utf8(printed.stdout).expect("text");
    assert!(text.contains("Algorithm 9") && text.contains("Algorithm 10") && text.contains("lin_canny"), "{text}");
    for arguments in [&["--quickly"][..], &["--tables", "vclip"], &["v-clip"]] {
        let refused = run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).starts_with("error: "), "{arguments:?}");
    }
}
