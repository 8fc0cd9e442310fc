//! `clearance view`: the page of a scene, opened in a browser.

use crate::args::ViewArgs;
use crate::check::{Checked, Kept, ON_A_TERMINAL, page};
use crate::output::printable;
use crate::replace::Replacement;
use crate::{Outcome, output};
use clearance_io::Motion;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the subcommand.
pub fn run(args: &ViewArgs) -> Result<Outcome, String> {
    // Depths are searched for as many overlaps as a table would list; --limit raises the number.
    let limit = args.scene.limit.map_or(ON_A_TERMINAL, |_| page::findings(&args.scene));
    let mut kept = Kept { limit: Some(limit), has_page: true, ..Kept::default() };
    let checked = Checked::new(&args.scene, &mut kept)?;
    let path = match &args.output {
        Some(path) => {
            page::write(path, &checked, &args.scene)?;
            path.clone()
        }
        None => {
            let (file, path) = temporary()?;
            page::write_to(file, &checked, &args.scene)?;
            path
        }
    };
    let mut lines = vec![format!("The page is {}", printable(&path.display().to_string()))];
    let moves = checked.scene.bodies.iter().any(|body| body.motion != Motion::Fixed);
    if moves && args.scene.until.is_none() {
        lines.push("Bodies have motions; --until T lets them move for T seconds.".into());
    }
    if !args.no_open
        && let Err(why) = show(&path)
    {
        lines.push(format!("No browser could be opened ({why}); open the page yourself."));
    }
    let result = lines.iter().try_for_each(|line| writeln!(io::stdout().lock(), "{line}"));
    let outcome = if checked.report().skipped.is_empty() { Outcome::Good } else { Outcome::BadInput };
    output::written(result, outcome)
}

/// A new file that nobody else has.
fn temporary() -> Result<(Replacement, PathBuf), String> {
    let folder = std::env::temp_dir();
    let created = Replacement::create_new(&folder, "clearance-", ".html");
    created.map_err(|error| format!("no page can be written to {} ({error}); name a file with -o", folder.display()))
}

/// Opens a page with what BROWSER names, or else with what the system opens pages with.
fn show(path: &Path) -> Result<(), String> {
    match std::env::var_os("BROWSER").filter(|browser| !browser.is_empty()) {
        Some(browser) => {
            let mut command = Command::new(&browser);
            let quiet = command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            quiet.spawn().map(drop).map_err(|error| format!("{}: {error}", browser.to_string_lossy()))
        }
        None => open::that_detached(path).map_err(|error| error.to_string()),
    }
}
