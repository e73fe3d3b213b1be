//! The report as data: fields in the order in which they are written.
//!
//! A reader ignores keys that it does not know and takes defaults for those that are missing, so
//! that every report of the same version can be read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The schema's name.
pub const SCHEMA: &str = "tilelint-report";
/// The version; raised by a change that an old reader would misread.
pub const VERSION: u32 = 1;

macro_rules! schema {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(default)]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }
        )*
    };
}

schema! {
    /// A whole report.
    Report {
        /// `tilelint-report`.
        schema: String,
        /// Version of the schema.
        version: u32,
        /// Who wrote it.
        tool: Tool,
        /// Targets, by name.
        targets: Vec<Target>,
        /// Devices, by id.
        devices: Vec<Device>,
        /// Frames.
        frames: Frames,
        /// Traffic of the median steady frame.
        traffic: Traffic,
        /// Passes, by first execution.
        passes: Vec<Pass>,
        /// Which pass reads what another stored.
        edges: Vec<Edge>,
        /// Findings, dearest first.
        findings: Vec<Finding>,
        /// Suppressed findings.
        suppressed: Vec<Suppressed>,
        /// Suppressions that did nothing.
        unused: Vec<Unused>,
        /// Limits that were hit.
        limits: Vec<Limit>,
        /// What was not understood.
        unknown: Unknown,
        /// Path of the recording, relative to the report.
        recording: Option<String>,
        /// Time spent in API calls, where measured; volatile.
        api_time: Option<ApiTime>,
        /// Facts of this one run; volatile.
        run: Value,
    }
    /// Time spent in Vulkan calls, from the end of the first frame to the end of the last one.
    ApiTime {
        /// Frames that ended in that time.
        frames: u64,
        /// The whole time.
        nanoseconds: u64,
        /// Entry points that were called, by name.
        calls: Vec<ApiCall>,
    }
    /// Time spent in an entry point, in all threads together.
    ApiCall {
        /// Entry point.
        name: String,
        /// Calls.
        count: u64,
        /// Those of them whose time was taken.
        timed: u64,
        /// Time of all calls, as those that were timed let expect.
        nanoseconds: u64,
        /// `acquire`, `fence`, `submit` or `present` for what waits for others.
        blocked: Option<String>,
    }
    /// Who wrote a report.
    Tool {
        /// `tilelint`.
        name: String,
        /// Version.
        version: String,
        /// Number of rules it has.
        rules: usize,
    }
    /// A target.
    Target {
        /// Name.
        name: String,
        /// Its tile arithmetic is an estimate.
        estimate: bool,
        /// Where the arithmetic comes from.
        source: String,
        /// Frames a second that rates assume.
        refresh_hz: u32,
    }
    /// A device.
    Device {
        /// `device.N` or its name.
        id: String,
        /// Device name of the driver.
        name: Option<String>,
        /// Vendor.
        vendor_id: Option<u32>,
        /// API version.
        api: Option<String>,
        /// It has lazily allocated memory.
        lazy_memory: Option<bool>,
        /// `on`, or why not.
        linting: String,
    }
    /// Frames seen.
    Frames {
        /// All.
        seen: u64,
        /// Steady ones.
        steady: u64,
        /// What ended them.
        boundary: Option<String>,
        /// The range that was judged, where that was not every frame.
        range: Option<String>,
    }
    /// Bytes a frame.
    Traffic {
        /// Loaded; `None` where not all of it is known.
        load_bytes: Option<u64>,
        /// Stored; `None` where not all of it is known.
        store_bytes: Option<u64>,
        /// What findings could save of both.
        avoidable_bytes: u64,
        /// Executed passes.
        passes: Option<u32>,
    }
    /// Passes with one key.
    Pass {
        /// Pass key, 16 hex digits.
        key: String,
        /// Name.
        name: String,
        /// Device.
        device: String,
        /// Label regions, outermost first.
        labels: Vec<String>,
        /// `rp1`, `rp2` or `dynamic`.
        via: String,
        /// Frames in which it occurred.
        frames: u64,
        /// Occurrences in one.
        per_frame: u32,
        /// It occurs in steady frames.
        steady: bool,
        /// Framebuffer, in pixels.
        extent: [u32; 2],
        /// Render area: x, y, width, height.
        area: [i64; 4],
        /// Layers.
        layers: u32,
        /// View mask.
        views: u32,
        /// Subpasses.
        subpasses: usize,
        /// Draws; `None` where some could not be seen.
        draws: Option<u64>,
        /// Attachments.
        attachments: Vec<Attachment>,
        /// What each target makes of it.
        targets: BTreeMap<String, Forecast>,
    }
    /// An attachment of a pass.
    Attachment {
        /// Index in the API's list.
        slot: u32,
        /// Image.
        image: Option<String>,
        /// Format.
        format: String,
        /// Samples.
        samples: u32,
        /// Roles.
        roles: Vec<String>,
        /// Image that it is resolved to.
        resolve: Option<String>,
        /// Kind of memory.
        memory: Option<String>,
        /// Its aspects.
        aspects: Vec<AspectOps>,
    }
    /// One aspect of an attachment.
    AspectOps {
        /// `color`, `depth` or `stencil`.
        aspect: String,
        /// Load op.
        load: Option<String>,
        /// Store op.
        store: Option<String>,
        /// Bytes that the load asks for.
        load_bytes: Option<u64>,
        /// Bytes that the store asks for.
        store_bytes: Option<u64>,
        /// `live` or `dead` after the pass.
        content: Option<String>,
        /// What happens to it next.
        next: Option<String>,
    }
    /// What a target makes of a pass.
    Forecast {
        /// Tile or bin, in pixels.
        tile: Option<[u32; 2]>,
        /// How many.
        bins: Option<u32>,
        /// Bytes per pixel on the tile.
        bytes_per_pixel: Option<u32>,
        /// `binned`, `tiled`, `direct` or `immediate`.
        mode: String,
        /// Why not in one visit to the tiles.
        reason: Option<String>,
        /// Stages, in the words of the device profilers.
        stages: Vec<String>,
        /// The surface line.
        surface: String,
    }
    /// A content that goes from one pass to another.
    Edge {
        /// Key of the pass that stores.
        from: String,
        /// Key of the pass that reads.
        to: String,
        /// Image.
        image: String,
        /// Aspect.
        aspect: String,
        /// How it is read.
        how: String,
        /// Bytes stored.
        bytes: Option<u64>,
        /// It is read in a later frame.
        across_frames: bool,
    }
    /// A finding.
    Finding {
        /// Rule.
        rule: String,
        /// Chapter.
        group: String,
        /// `info`, `warn` or `deny`.
        level: String,
        /// `certain`, `likely` or `possible`.
        confidence: String,
        /// `C`, `R`, `S`, `F` or `D`.
        tier: String,
        /// Fingerprint, 16 hex digits.
        fingerprint: String,
        /// `new` or `known`, where there was a baseline.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<String>,
        /// Frames in which it occurred.
        count: u64,
        /// Occurrences in one.
        per_frame: u32,
        /// First such frame.
        first_frame: u64,
        /// Not seen in steady frames.
        only_unsteady: bool,
        /// Targets, by name.
        targets: Vec<String>,
        /// What.
        message: String,
        /// Why.
        why: Vec<String>,
        /// What it assumes.
        assumes: Vec<String>,
        /// What it costs.
        cost: Cost,
        /// Alternatives, best first.
        fixes: Vec<Fix>,
        /// Where.
        location: Location,
        /// The call.
        quote: Quote,
        /// Other rules with the same cause.
        notes: Vec<Note>,
        /// What differs by target.
        by_target: BTreeMap<String, Differs>,
    }
    /// Bytes.
    Cost {
        /// Stored each frame.
        store_bytes: u64,
        /// Loaded each frame.
        load_bytes: u64,
        /// Of memory.
        memory_bytes: u64,
    }
    /// One way to mend it.
    Fix {
        /// In words.
        text: String,
        /// As data.
        edits: Vec<Edit>,
    }
    /// A change of a field or of a call.
    Edit {
        /// What it does: `set`, `remove`, `once`, `move`, `insert`, `replace` or `join`.
        action: String,
        /// What kind of thing.
        object: String,
        /// Its name.
        name: String,
        /// Pass it is changed in.
        #[serde(skip_serializing_if = "Option::is_none")]
        pass: Option<String>,
        /// Slot or index.
        #[serde(skip_serializing_if = "Option::is_none")]
        slot: Option<u32>,
        /// Field of the API.
        field: String,
        /// Value now.
        from: String,
        /// Value then.
        to: String,
        /// Line of the listing that says it now.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        /// Line before which it goes.
        #[serde(skip_serializing_if = "Option::is_none")]
        before: Option<u32>,
        /// Line behind which it goes.
        #[serde(skip_serializing_if = "Option::is_none")]
        behind: Option<u32>,
    }
    /// Where a finding is; what does not apply is left out.
    Location {
        /// Device.
        #[serde(skip_serializing_if = "String::is_empty")]
        device: String,
        /// Frame.
        #[serde(skip_serializing_if = "Option::is_none")]
        frame: Option<u64>,
        /// Command buffer.
        #[serde(skip_serializing_if = "Option::is_none")]
        commands: Option<String>,
        /// Pass.
        #[serde(skip_serializing_if = "Option::is_none")]
        pass: Option<String>,
        /// Pass key.
        #[serde(skip_serializing_if = "Option::is_none")]
        pass_key: Option<String>,
        /// Subpass.
        #[serde(skip_serializing_if = "Option::is_none")]
        subpass: Option<u32>,
        /// Slot.
        #[serde(skip_serializing_if = "Option::is_none")]
        slot: Option<u32>,
        /// Image.
        #[serde(skip_serializing_if = "Option::is_none")]
        image: Option<String>,
        /// Aspect.
        #[serde(skip_serializing_if = "Option::is_none")]
        aspect: Option<String>,
        /// Field of the API.
        #[serde(skip_serializing_if = "Option::is_none")]
        field: Option<String>,
        /// Entry point.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<String>,
        /// Label regions.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        labels: Vec<String>,
    }
    /// Quoted lines.
    Quote {
        /// Listing, relative to the report.
        file: Option<String>,
        /// Lines.
        lines: Vec<QuoteLine>,
        /// Marks.
        marks: Vec<Mark>,
    }
    /// A quoted line.
    QuoteLine {
        /// Number; `None` where there is none.
        line: Option<u32>,
        /// Text.
        text: String,
    }
    /// A marked part of a quoted line. Without line numbers, the mark of line `i` is mark `i`.
    Mark {
        /// Line.
        line: Option<u32>,
        /// First column, from 0, in bytes.
        start: usize,
        /// Column behind it.
        end: usize,
        /// Text beside it.
        label: String,
        /// The place of the mistake.
        primary: bool,
    }
    /// What another rule says.
    Note {
        /// Rule.
        rule: String,
        /// Its message.
        message: String,
    }
    /// What differs for a target.
    Differs {
        /// Confidence.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<String>,
        /// Cost.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<Cost>,
    }
    /// A suppressed finding.
    Suppressed {
        /// Rule.
        rule: String,
        /// Fingerprint.
        fingerprint: String,
        /// Frames in which it occurred.
        count: u64,
        /// Why it is meant.
        reason: String,
        /// Who says so.
        by: String,
    }
    /// A suppression that did nothing.
    Unused {
        /// `suppression`, `expired suppression` or `expectation`.
        kind: String,
        /// Where it stands.
        by: String,
        /// Its rule.
        rule: String,
    }
    /// A limit that was hit.
    Limit {
        /// Of what.
        what: String,
        /// The limit.
        limit: u64,
        /// How many were left out.
        left_out: u64,
    }
    /// What was not understood, with counts.
    Unknown {
        /// Commands by name.
        commands: BTreeMap<String, u64>,
        /// Structures by `sType`.
        structures: BTreeMap<String, u64>,
    }
}
