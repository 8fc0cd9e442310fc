//! Figures as SVG: curves with axes, units and a legend, that can be read in print and without colours.

use clearance_papers::{Figure, Picture};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use std::fmt::Write as _;
use std::ops::Range;

/// Colours that colour-blind readers can distinguish (Okabe and Ito), on white and in grey.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

const SIZE: (u32, u32) = (640, 400);

/// Marks along a curve.
const MARKS: usize = 30;

/// A figure as a file.
pub fn svg(figure: &Figure) -> String {
    let mut text = String::new();
    // Drawing into a string fails only without points, and then there is no picture.
    let _ = draw(figure, &mut text);
    text
}

/// The colours of the classes of a picture: the green, red and yellow of the paper's figure.
const CLASSES: [&str; 3] = ["#3a9d5d", "#c8442f", "#e6c229"];

/// A picture as a file.
pub fn picture(picture: &Picture) -> String {
    let corners = || picture.polygons.iter().flat_map(|(_, corners)| corners);
    let of = |k: usize| corners().map(move |corner| corner[k]);
    let ends = [0, 1].map(|k| (of(k).fold(f64::INFINITY, f64::min), of(k).fold(f64::NEG_INFINITY, f64::max)));
    let scale = (f64::from(SIZE.0) - 40.0) / (ends[0].1 - ends[0].0).max(1.25 * (ends[1].1 - ends[1].0)).max(1e-9);
    let (width, height) = SIZE;
    let middle = ends.map(|(low, high)| 0.5 * (low + high));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        height + 100
    );
    for (class, corners) in &picture.polygons {
        let points: Vec<String> = corners
            .iter()
            .map(|[x, y]| {
                let x = 0.5 * f64::from(width) + scale * (x - middle[0]);
                let y = 0.5 * f64::from(height) + 50.0 - scale * (y - middle[1]);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let _ = writeln!(
            text,
            "<polygon points=\"{}\" fill=\"{}\" stroke=\"black\" stroke-width=\"0.4\"/>",
            points.join(" "),
            CLASSES[class % CLASSES.len()]
        );
    }
    let _ =
        writeln!(text, "<text x=\"12\" y=\"26\" font-family=\"sans-serif\" font-size=\"18\">{}</text>", picture.title);
    for (index, name) in picture.classes.iter().enumerate() {
        let x = 20 + 200 * index;
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{0}\" width=\"14\" height=\"14\" fill=\"{1}\"/><text x=\"{2}\" y=\"{3}\" font-family=\"sans-serif\" font-size=\"15\">{name}</text>",
            height + 76,
            CLASSES[index % CLASSES.len()],
            x + 20,
            height + 88
        );
    }
    text + "</svg>\n"
}

/// The least and largest of numbers; on a logarithmic axis of those above zero.
fn range(values: impl Iterator<Item = f64>, is_logarithmic: bool) -> (f64, f64) {
    let values = values.filter(|value| !is_logarithmic || *value > 0.0);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (0.1, 1.0);
    }
    if is_logarithmic { (low.log10(), high.log10()) } else { (low, high) }
}

fn draw(figure: &Figure, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let all = || figure.curves.iter().flat_map(|(_, points)| points.iter());
    let [log_x, log_y] = figure.is_logarithmic;
    let (left, right) = range(all().map(|p| p[0]), log_x);
    let (mut low, high) = range(all().map(|p| p[1]), log_y);
    // Lengths are compared from zero.
    if !log_y && low > 0.0 {
        low = 0.0;
    }
    let wide =
        |low: f64, high: f64| if high > low { (low, high + 0.05 * (high - low)) } else { (low - 0.5, low + 0.5) };
    let ((left, right), (low, high)) = (wide(left, right), wide(low, high));
    let mut chart = ChartBuilder::on(&root)
        .caption(&figure.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(
            RoundAxis { range: left..right, is_logarithmic: log_x },
            RoundAxis { range: low..high, is_logarithmic: log_y },
        )?;
    let shown =
        |is_logarithmic: bool| move |value: &f64| number(if is_logarithmic { 10f64.powf(*value) } else { *value });
    chart
        .configure_mesh()
        .x_desc(&figure.labels[0])
        .y_desc(&figure.labels[1])
        .x_label_formatter(&shown(log_x))
        .y_label_formatter(&shown(log_y))
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 15))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let place = move |p: &[f64; 2]| {
        let at = |value: f64, is_logarithmic: bool| if is_logarithmic { value.log10() } else { value };
        (at(p[0], log_x), at(p[1], log_y))
    };
    let is_shown = |p: &&[f64; 2]| (!log_x || p[0] > 0.0) && (!log_y || p[1] > 0.0);
    for (index, (name, points)) in figure.curves.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let points: Vec<(f64, f64)> = points.iter().filter(is_shown).map(place).collect();
        if !figure.is_scattered {
            chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?;
        }
        // Each curve has its own mark.
        let mark = move |at: (i32, i32)| EmptyElement::at(at) + Polygon::new(corners(index), color.filled());
        // A curve with many points has some marks; a scatter plot consists of its points.
        let every = if figure.is_scattered { 1 } else { points.len().div_ceil(MARKS).max(1) };
        chart
            .draw_series(
                points
                    .iter()
                    .step_by(every)
                    .map(|&(x, y)| EmptyElement::at((x, y)) + Polygon::new(corners(index), color.filled())),
            )?
            .label(name)
            .legend(mark);
    }
    if figure.curves.len() > 1 {
        chart
            .configure_series_labels()
            .position(emptiest(all().filter(is_shown).map(place), [left, right], [low, high]))
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 13))
            .draw()?;
    }
    root.present()?;
    Ok(())
}

/// An axis with ticks at round numbers; on a logarithmic one, coordinates are logarithms.
struct RoundAxis {
    range: Range<f64>,
    is_logarithmic: bool,
}

impl Ranged for RoundAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        first + (part * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        ticks(self.range.start, self.range.end, self.is_logarithmic)
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Round numbers from one end of an axis to the other: 1, 2 and 5 times powers of ten, by their logarithms where the axis is of those.
fn ticks(low: f64, high: f64, is_logarithmic: bool) -> Vec<f64> {
    let is_in = |tick: &f64| (low..=high).contains(tick);
    if is_logarithmic {
        let decades = low.floor() as i32..=high.ceil() as i32;
        let of = |digits: &'static [f64]| {
            decades.clone().flat_map(move |decade| digits.iter().map(move |digit| f64::from(decade) + digit.log10()))
        };
        let sets: [&'static [f64]; 3] = [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0]];
        let found: Vec<Vec<f64>> = sets.iter().map(|digits| of(digits).filter(is_in).collect()).collect();
        // The fewest ticks that a reader needs.
        return found.iter().find(|ticks| ticks.len() >= 3).unwrap_or(&found[2]).clone();
    }
    let rough = (high - low) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil();
    (0..20).map(|k| (first + f64::from(k)) * step).filter(is_in).collect()
}

/// The side with the fewest points, where the legend hides least.
fn emptiest(points: impl Iterator<Item = (f64, f64)>, x: [f64; 2], y: [f64; 2]) -> SeriesLabelPosition {
    use SeriesLabelPosition::{LowerLeft, LowerRight, MiddleLeft, MiddleRight, UpperLeft, UpperRight};
    let mut counts = [0; 6];
    for (at, height) in points {
        let [at, height] = [(at - x[0]) / (x[1] - x[0]), (height - y[0]) / (y[1] - y[0])];
        for (place, count) in counts.iter_mut().enumerate() {
            let is_beside = if place % 2 == 0 { at < 0.4 } else { at > 0.6 };
            let middle = [0.83, 0.17, 0.5][place / 2];
            *count += usize::from(is_beside && (height - middle).abs() < 0.17);
        }
    }
    let least = (0..6).min_by_key(|&place| counts[place]).unwrap_or(0);
    vec![UpperLeft, UpperRight, LowerLeft, LowerRight, MiddleLeft, MiddleRight].swap_remove(least)
}

/// A polygon of three corners for the first curve, four for the second, and so on.
fn corners(index: usize) -> Vec<(i32, i32)> {
    let count = 3 + index % 5;
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * (k as f64) / (count as f64);
        ((4.5 * angle.sin()).round() as i32, (-4.5 * angle.cos()).round() as i32)
    };
    (0..count).map(corner).collect()
}

/// A number for readers: three digits, and powers of ten instead of many zeros.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-3..1e6).contains(&size) {
        format!("{value:.2e}")
    } else if size >= 100.0 || value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        let digits = (2 - size.log10().floor() as i32).max(0) as usize;
        format!("{value:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enough() {
        let shown = |low: f64, high: f64, is_logarithmic: bool| {
            let value = |tick: f64| number(if is_logarithmic { 10f64.powf(tick) } else { tick });
            ticks(low, high, is_logarithmic).into_iter().map(value).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(0.0, 37.8, false), "0 10 20 30");
        assert_eq!(shown(1.0, 20.95, false), "5 10 15 20");
        assert_eq!(shown(1.6, 5.7, true), "100 1000 10000 100000");
        assert_eq!(shown(3.6, 5.0, true), "10000 30000 100000");
        assert!(!ticks(-0.5, 0.5, true).is_empty() && !ticks(3.0, 4.0, false).is_empty());
    }

    /// A scatter plot shows every point, a curve some marks.
    #[test]
    fn a_scatter_plot_shows_all_points() {
        let points: Vec<[f64; 2]> = (0..500).map(|k| [f64::from(k), f64::from(k * k % 97)]).collect();
        let curve = Figure {
            table: "points",
            title: "Points".into(),
            labels: ["x".into(), "y".into()],
            is_logarithmic: [false; 2],
            is_scattered: false,
            curves: vec![("one".into(), points)],
        };
        let marks = |figure: &Figure| svg(figure).matches("<polygon").count();
        assert!((10..100).contains(&marks(&curve)), "{}", marks(&curve));
        assert_eq!(marks(&curve.scattered()), 500);
    }

    #[test]
    fn a_legend_goes_where_nothing_is() {
        let corner = |points: &[(f64, f64)]| emptiest(points.iter().copied(), [0.0, 1.0], [0.0, 1.0]);
        let rising = [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)];
        assert!(matches!(corner(&rising), SeriesLabelPosition::UpperRight | SeriesLabelPosition::UpperLeft));
        assert!(matches!(corner(&[(0.1, 0.9), (0.9, 0.9), (0.1, 0.1)]), SeriesLabelPosition::LowerRight));
    }
}
