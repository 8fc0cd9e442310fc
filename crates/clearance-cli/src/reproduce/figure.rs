//! Figures as SVG: curves with axes, units and a legend, that can be read in print and without colours.

use clearance_lab::reproduce::Figure;
use plotters::prelude::*;

/// Colours that are told apart with any eyes (Okabe and Ito), on white and in grey.
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

/// A figure as a file.
pub fn svg(figure: &Figure) -> String {
    let mut text = String::new();
    // Drawing into a string fails only if there is nothing to draw, and then there is no picture.
    let _ = draw(figure, &mut text);
    text
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
        .build_cartesian_2d(left..right, low..high)?;
    let shown =
        |is_logarithmic: bool| move |value: &f64| number(if is_logarithmic { 10f64.powf(*value) } else { *value });
    chart
        .configure_mesh()
        .x_desc(&figure.labels[0])
        .y_desc(&figure.labels[1])
        .x_label_formatter(&shown(log_x))
        .y_label_formatter(&shown(log_y))
        .label_style(("sans-serif", 13))
        .light_line_style(WHITE)
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
        // A mark of its own for each curve.
        let mark = move |at: (i32, i32)| EmptyElement::at(at) + Polygon::new(corners(index), color.filled());
        chart
            .draw_series(
                points.iter().map(|&(x, y)| EmptyElement::at((x, y)) + Polygon::new(corners(index), color.filled())),
            )?
            .label(name)
            .legend(mark);
    }
    if figure.curves.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 13))
            .draw()?;
    }
    root.present()?;
    Ok(())
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

/// A number as it is read: three digits, and powers of ten where zeros would be counted.
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
