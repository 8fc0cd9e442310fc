//! Configurations from the command line and from files.

use clearance_io::read_text;
use clearance_robot::Robot;
use std::path::Path;

/// The number nearest to zero that is within the limits.
fn rest(robot: &Robot) -> Vec<f64> {
    robot
        .lower_limits()
        .into_iter()
        .zip(robot.upper_limits())
        .map(|(lower, upper)| 0.0_f64.max(lower).min(upper))
        .collect()
}

fn number(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("{text:?} is not a finite number; correct it")),
    }
}

fn joint(robot: &Robot, name: &str) -> Result<usize, String> {
    let names = robot.joint_names();
    names.iter().position(|joint| *joint == name).ok_or_else(|| {
        format!("the robot has no joint {name:?} that moves by itself; its joints are {}", names.join(", "))
    })
}

/// The configuration of `--joints`: numbers in order, or `name=number`.
pub fn configuration(robot: &Robot, text: Option<&str>) -> Result<Vec<f64>, String> {
    let mut q = rest(robot);
    let text = text.unwrap_or_default();
    let words: Vec<&str> = text.split([',', ' ', '\t', '\n', ';']).filter(|word| !word.is_empty()).collect();
    let fail = |sentence: String| format!("--joints: {sentence}");
    if words.iter().any(|word| word.contains('=')) {
        let mut given = vec![false; q.len()];
        for word in words {
            let (name, value) = word.split_once('=').ok_or_else(|| {
                fail(format!("{word:?} has no name; write name=number for each joint, or numbers only"))
            })?;
            let number_of = joint(robot, name).map_err(fail)?;
            if std::mem::replace(&mut given[number_of], true) {
                return Err(fail(format!("{name:?} is given twice; keep one")));
            }
            q[number_of] = number(value).map_err(fail)?;
        }
    } else if !words.is_empty() {
        let values = words.iter().map(|word| number(word)).collect::<Result<Vec<_>, _>>().map_err(fail)?;
        if values.len() != q.len() {
            let names = robot.joint_names().join(", ");
            return Err(fail(format!("there are {} numbers for {} joints: {names}", values.len(), q.len())));
        }
        q = values;
    }
    Ok(q)
}

/// The configurations of a file of comma-separated values. Columns that it does not have are those of a configuration.
pub fn path(path: &Path, robot: &Robot, start: &[f64]) -> Result<Vec<Vec<f64>>, String> {
    let text = read_text(path).map_err(|error| error.to_string())?;
    let at = |line: usize, sentence: String| format!("{}, line {}: {sentence}", path.display(), line + 1);
    let mut columns: Vec<usize> = (0..robot.dof()).collect();
    let mut waypoints = Vec::new();
    let mut is_first = true;
    for (line, row) in text.lines().enumerate() {
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = row.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
        let is_header = std::mem::take(&mut is_first) && cells.iter().any(|cell| cell.parse::<f64>().is_err());
        if is_header {
            columns = cells
                .iter()
                .map(|name| joint(robot, name))
                .collect::<Result<_, _>>()
                .map_err(|error| at(line, error))?;
            let mut sorted = columns.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let name = robot.joint_names()[pair[0]];
                return Err(at(line, format!("two columns have the name {name:?}; remove one")));
            }
            continue;
        }
        if cells.len() != columns.len() {
            return Err(at(
                line,
                format!("there are {} numbers for {} joints; correct the line", cells.len(), columns.len()),
            ));
        }
        let mut q = start.to_vec();
        for (&column, cell) in columns.iter().zip(cells) {
            q[column] = number(cell).map_err(|error| at(line, error))?;
        }
        waypoints.push(q);
    }
    if waypoints.is_empty() {
        return Err(format!("{} has no configuration; write one in each line", path.display()));
    }
    Ok(waypoints)
}
