//! How measurements grow with size.

/// The exponent of the power law that fits points of size and measurement best.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x0, y0) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = logs.iter().map(|(x, y)| (x - x0) * (y - y0)).sum();
    let below: f64 = logs.iter().map(|(x, _)| (x - x0) * (x - x0)).sum();
    above / below
}
