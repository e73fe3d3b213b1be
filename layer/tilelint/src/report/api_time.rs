//! Where the time in Vulkan calls goes, as text.
//!
//! The gain from leaving an entry point out is its share of the frame: where a program spends
//! 19.5 % of its time in the API and 14.25 % of that in one entry point, it is 2.78 % of the frame,
//! and 60 frames a second become 61.7.

use std::fmt::Write as _;

use super::figures::table;
use super::schema::{ApiCall, ApiTime};

/// Entry points that have a row of their own.
const ROWS: usize = 15;

impl ApiTime {
    /// Calls that do not block, dearest first.
    pub fn working(&self) -> Vec<&ApiCall> {
        let mut calls: Vec<&ApiCall> =
            self.calls.iter().filter(|call| call.blocked.is_none()).collect();
        // The sort is stable: the name decides between equals.
        calls.sort_by_key(|call| std::cmp::Reverse(call.nanoseconds));
        calls
    }

    /// Nanoseconds spent in calls that do not block.
    pub fn working_ns(&self) -> u64 {
        self.working().iter().map(|call| call.nanoseconds).sum()
    }

    /// What blocked the program and for how many nanoseconds, longest first.
    pub fn blocked(&self) -> Vec<(&str, u64)> {
        let mut kinds: Vec<(&str, u64)> = Vec::new();
        for call in &self.calls {
            let Some(kind) = call.blocked.as_deref() else { continue };
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, sum)) => *sum += call.nanoseconds,
                None => kinds.push((kind, call.nanoseconds)),
            }
        }
        kinds.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
        kinds
    }

    /// Frames a second if `nanoseconds` of the whole time were not spent, and as it is for 0.
    #[expect(clippy::cast_precision_loss, reason = "one decimal place is shown")]
    pub fn fps_without(&self, nanoseconds: u64) -> f64 {
        let left = self.nanoseconds.saturating_sub(nanoseconds).max(1);
        self.frames as f64 * 1e9 / left as f64
    }

    /// Nanoseconds as milliseconds of one frame.
    #[expect(clippy::cast_precision_loss, reason = "three decimal places are shown")]
    pub fn ms_a_frame(&self, nanoseconds: u64) -> f64 {
        nanoseconds as f64 / 1e6 / self.frames.max(1) as f64
    }

    /// The head of the table, which says what it measures.
    pub fn headline(&self) -> String {
        format!(
            "time in Vulkan calls: {:.3} ms of a frame of {:.3} ms ({:.1} fps, {} frames)",
            self.ms_a_frame(self.working_ns()),
            self.ms_a_frame(self.nanoseconds),
            self.fps_without(0),
            self.frames
        )
    }

    /// The cells of a call: name, calls a frame, ns a call, us a frame, share of the API's time,
    /// share of the frame, frames a second without it.
    #[expect(clippy::cast_precision_loss, reason = "few digits are shown")]
    pub fn cells(&self, call: &ApiCall) -> [String; 7] {
        let of = |whole: u64| 100.0 * call.nanoseconds as f64 / whole.max(1) as f64;
        [
            call.name.clone(),
            format!("{:.1}", call.count as f64 / self.frames.max(1) as f64),
            (call.nanoseconds / call.count.max(1)).to_string(),
            format!("{:.1}", self.ms_a_frame(call.nanoseconds) * 1e3),
            format!("{:.1} %", of(self.working_ns())),
            format!("{:.2} %", of(self.nanoseconds)),
            format!("{:.1}", self.fps_without(call.nanoseconds)),
        ]
    }
}

/// Titles of [`ApiTime::cells`].
pub const API_TIME_TITLES: [&str; 7] =
    ["entry point", "calls/frame", "ns/call", "us/frame", "of API", "of frame", "fps without"];

/// Writes the table, or nothing where nothing was measured.
pub fn api_time_table(time: &ApiTime) -> String {
    let mut out = format!("tilelint: {}\n", time.headline());
    let working = time.working();
    let mut rows = vec![API_TIME_TITLES.map(str::to_owned)];
    rows.extend(working.iter().take(ROWS).map(|call| time.cells(call)));
    out.push_str(&table(&rows));
    if let Some(rest) = working.get(ROWS..).filter(|rest| !rest.is_empty()) {
        let sum = rest.iter().map(|call| call.nanoseconds).sum();
        let ms = time.ms_a_frame(sum) * 1e3;
        let _ = writeln!(out, "  {} more: {ms:.1} us/frame", rest.len());
    }
    let blocked = time.blocked();
    if !blocked.is_empty() {
        let kinds: Vec<String> = blocked
            .iter()
            .map(|(kind, sum)| format!("{kind} {:.3} ms", time.ms_a_frame(*sum)))
            .collect();
        let _ = writeln!(out, "  blocked apart from that, in a frame: {}", kinds.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, count: u64, nanoseconds: u64, blocked: Option<&str>) -> ApiCall {
        let blocked = blocked.map(str::to_owned);
        ApiCall { name: name.to_owned(), count, timed: count, nanoseconds, blocked }
    }

    /// The example of the OpenGL note: 19.5 % of the time in the API, 14.25 % of that in one call.
    fn example() -> ApiTime {
        let api = 195_000_000;
        let one = api * 1425 / 10_000;
        ApiTime {
            frames: 60,
            nanoseconds: 1_000_000_000,
            calls: vec![
                call("vkAcquireNextImageKHR", 60, 30_000_000, Some("acquire")),
                call("vkCmdBindPipeline", 6_000, one, None),
                call("vkCmdDraw", 12_000, api - one, None),
                call("vkQueuePresentKHR", 60, 300_000_000, Some("present")),
                call("vkWaitForFences", 60, 5_000_000, Some("fence")),
                call("vkQueueWaitIdle", 1, 1_000_000, Some("fence")),
            ],
        }
    }

    #[test]
    fn the_gain_is_the_share_of_the_frame() {
        let time = example();
        let cells = time.cells(time.working()[1]);
        assert_eq!(
            cells,
            ["vkCmdBindPipeline", "100.0", "4631", "463.1", "14.2 %", "2.78 %", "61.7"]
        );
    }

    #[test]
    fn what_blocks_stands_apart() {
        let time = example();
        assert_eq!(time.working_ns(), 195_000_000);
        assert_eq!(
            time.blocked(),
            [("present", 300_000_000), ("acquire", 30_000_000), ("fence", 6_000_000)]
        );
    }

    #[test]
    fn the_table_is_complete() {
        let table = api_time_table(&example());
        let expected = "\
tilelint: time in Vulkan calls: 3.250 ms of a frame of 16.667 ms (60.0 fps, 60 frames)
  entry point        calls/frame  ns/call  us/frame  of API  of frame  fps without
  vkCmdDraw                200.0    13934    2786.9  85.8 %   16.72 %         72.0
  vkCmdBindPipeline        100.0     4631     463.1  14.2 %    2.78 %         61.7
  blocked apart from that, in a frame: present 5.000 ms, acquire 0.500 ms, fence 0.100 ms
";
        assert_eq!(table, expected);
        let mut many = example();
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"];
        many.calls.extend(names.map(|name| call(name, 60, 6_000_000, None)));
        assert!(api_time_table(&many).contains("  2 more: 200.0 us/frame\n"));
        let nothing = api_time_table(&ApiTime::default());
        assert!(nothing.contains("0 frames"), "{nothing}");
    }
}
