//! The page of the program, and the data of its numbers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of that name without anything in it.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clearance-papers")).current_dir(folder).args(arguments).output().expect("it runs")
}

/// The text between two marks, for all of their pairs.
fn between<'t>(text: &'t str, from: &'t str, to: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(from).skip(1).filter_map(move |rest| Some(rest.split_once(to)?.0))
}

/// The lines of a file of comma-separated values; a quoted cell may have commas.
fn csv(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = |line: &str| {
        let mut cells = vec![String::new()];
        let mut is_quoted = false;
        for c in line.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => cells.push(String::new()),
                _ => cells.last_mut().expect("one").push(c),
            }
        }
        cells
    };
    text.lines().map(line).collect()
}

fn plain(html: &str) -> String {
    html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn every_number_of_the_page_is_in_its_data_and_every_link_leads_somewhere() {
    let folder = empty_folder("reproduce");
    let run = run_in(&folder, &["two-phase", "--quick", "-o", "out"]);
    assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""));
    let printed = String::from_utf8(run.stdout).expect("text");
    let out = folder.join("out");
    let page = fs::read_to_string(out.join("index.html")).unwrap();

    let mut numbers = 0;
    let articles: Vec<&str> = page.split("<article id=\"").skip(1).collect();
    for article in &articles {
        let row = article.split('"').next().unwrap();
        let shown: Vec<(&str, &str)> =
            between(article, "<dt>", "</dd>").map(|pair| pair.split_once("</dt><dd>").unwrap()).collect();
        if shown.is_empty() {
            continue;
        }
        let data = csv(&out.join(format!("{row}-values.csv")));
        assert_eq!(data.len() - 1, shown.len(), "{row}");
        for ((name, value), cells) in shown.iter().zip(&data[1..]) {
            assert_eq!(plain(name), cells[0], "{row}");
            let (number, unit) = value.split_once(' ').unwrap();
            assert_eq!(plain(unit), cells[2], "{row}: {name}");
            let [seen, exact] = [number, &cells[1]].map(|text| text.parse::<f64>().unwrap());
            assert!((seen - exact).abs() <= 0.006 * exact.abs(), "{row}: {name} is shown as {seen}, and it is {exact}");
            numbers += 1;
        }
        for table in between(article, "<summary>", "</table>") {
            let name = table.split('<').next().unwrap();
            let data = csv(&out.join(format!("{row}-{name}.csv")));
            let lines: Vec<&str> = between(table, "<tr>", "</tr>").collect();
            assert_eq!(lines.len(), data.len(), "{row}: {name}");
            for (line, cells) in lines[1..].iter().zip(&data[1..]) {
                let shown = between(line, "<td", "</td>").map(|cell| plain(cell.split_once('>').unwrap().1));
                for (shown, exact) in shown.zip(cells) {
                    let is_same = match [shown.as_str(), exact].map(str::parse::<f64>) {
                        [Ok(shown), Ok(exact)] => (shown - exact).abs() <= 0.006 * exact.abs(),
                        _ => shown == *exact,
                    };
                    assert!(is_same, "{row}: {name} shows {shown}, and it is {exact}");
                    numbers += 1;
                }
            }
        }
        // The output of the program is the text of the page.
        let verdict = between(article, "<span class=\"verdict ", "</span>").next().unwrap();
        let verdict = verdict.split_once('>').unwrap().1;
        let line = printed.lines().find(|line| line.split_whitespace().next() == Some(row)).unwrap();
        assert!(line.contains(verdict), "{row} is {verdict} on the page: {line}");
    }
    assert!(articles.len() == 20 && numbers > 30, "{} rows and {numbers} numbers", articles.len());

    let mut links = 0;
    for link in between(&page, "href=\"", "\"").chain(between(&page, "src=\"", "\"")) {
        match link.strip_prefix('#') {
            Some(place) => assert!(page.contains(&format!("id=\"{place}\"")), "{link} leads nowhere"),
            None => {
                let file = fs::read_to_string(out.join(link)).unwrap_or_else(|error| panic!("{link}: {error}"));
                assert!(file.lines().count() > 1 || file.starts_with("<svg"), "{link} is empty");
                links += 1;
            }
        }
    }
    assert!(links > 30, "{links} files");
    for entry in fs::read_dir(&out).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "index.html" || page.contains(&format!("\"{name}\"")), "nothing leads to {name}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_told_before_anything_runs() {
    let folder = empty_folder("reproduce refused");
    fs::write(folder.join("out"), "a file").unwrap();
    let run = run_in(&folder, &["--quick", "-o", "out"]);
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.starts_with("error: out cannot be written"), "{said}");
}
