//! The tiler's arithmetic against what drivers and devices decided.

use ash::vk;
use serde_json::Value;
use tilelint::profile::{self, Profile};
use tilelint::tiler::{
    Forecast, Foveation, Layout, Mode, Model, Options, PassShape, forecast, forecast_with, planes,
    spec, verdict,
};

fn rows(file: &str) -> Vec<Value> {
    let path = format!("{}/data/groundtruth/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(row: &Value, key: &str) -> u32 {
    u32::try_from(row[key].as_u64().unwrap()).unwrap()
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

fn target(row: &Value) -> Profile {
    profile::resolve(row["gpu"].as_str().unwrap(), profile::all()).unwrap().into_owned()
}

fn simple(row: &Value, samples: &str, formats: &[&str]) -> PassShape {
    let formats: Vec<vk::Format> =
        formats.iter().map(|name| tilelint::format::by_name(name).unwrap()).collect();
    let size = [number(row, "w"), number(row, "h")];
    spec::simple(size, number(row, "views"), number(row, samples), &formats)
}

#[test]
fn devices_as_the_open_driver_sees_them() {
    let rows = rows("turnip-devices.jsonl");
    assert_eq!(rows.len(), 17);
    for row in rows {
        let profile = target(&row);
        let binned = profile.binned.as_ref().unwrap();
        assert_eq!(binned.tile_memory, number(&row, "usable_gmem"), "{row}");
        assert_eq!(binned.tile_memory_avoid_ccu, number(&row, "ccu_offset_gmem"), "{row}");
        let pair = |x, y| [number(&row, x), number(&row, y)];
        assert_eq!(binned.align, pair("tile_align_w", "tile_align_h"), "{row}");
        assert_eq!(binned.max_tile, pair("tile_max_w", "tile_max_h"), "{row}");
        assert_eq!(binned.store_align, pair("gmem_align_w", "gmem_align_h"), "{row}");
        assert_eq!(binned.visibility_streams, number(&row, "vsc_pipes"), "{row}");
        assert_eq!(binned.generic_clear, number(&row, "generic_clear") == 1, "{row}");
        assert_eq!(profile.lrz_dir_tracking, number(&row, "lrz_dir_tracking") == 1, "{row}");
    }
}

#[test]
fn every_tile_of_the_open_driver() {
    let rows = rows("turnip-tiles.jsonl");
    assert_eq!(rows.len(), 1557);
    for row in rows {
        let mut formats = row["color"].as_array().map_or_else(Vec::new, |_| strings(&row["color"]));
        formats.extend(row["depth"].as_str());
        let pass = simple(&row, "samples", &formats);
        let profile = target(&row);
        let binned = profile.binned.as_ref().unwrap();
        for (key, layout) in [("full", Layout::Full), ("avoid_ccu", Layout::AvoidCcu)] {
            let expected = &row[key];
            let tiling = verdict::tiling(&pass, layout, binned).unwrap();
            if expected.is_null() {
                assert_eq!(tiling.bins, None, "{key} of {row}");
                continue;
            }
            let bins = tiling.bins.unwrap();
            assert_eq!(serde_json::json!(bins.tile), expected["tile"], "{key} of {row}");
            assert_eq!(serde_json::json!(bins.grid), expected["bins"], "{key} of {row}");
            assert_eq!(u64::from(bins.count()), expected["n"], "{key} of {row}");
            assert_eq!(u64::from(tiling.budget.pixels), expected["pixels"], "{key} of {row}");
            let visibility = tiling.visibility;
            assert_eq!(serde_json::json!(visibility.pipe), expected["pipe"], "{key} of {row}");
            assert_eq!(visibility.possible, expected["vsc"], "{key} of {row}");
            assert_eq!(visibility.used, expected["hwbin"], "{key} of {row}");
        }
        let bytes: u32 = planes::planes(&pass).unwrap().iter().map(|plane| plane.bytes).sum();
        assert_eq!(bytes, number(&row, "gmem_bpp"), "{row}");
    }
}

#[test]
fn every_verdict_of_the_open_driver() {
    let rows = rows("turnip-merge.jsonl");
    assert_eq!(rows.len(), 337);
    for row in rows {
        let pass = spec::parse(strings(&row["spec"])).unwrap();
        let profile = target(&row);
        let binned = profile.binned.as_ref().unwrap();
        let verdict = verdict::judge(&pass, binned).unwrap();
        let bandwidth = verdict::bandwidth(&pass, binned).unwrap();
        assert_eq!(u64::from(bandwidth.in_bins), row["bw_pp"]["gmem"], "{row}");
        assert_eq!(u64::from(bandwidth.direct), row["bw_pp"]["sysmem"], "{row}");
        assert_eq!(verdict.capable, row["gmem_capable"], "{row}");
        let mode = if verdict.in_bins { "gmem" } else { "sysmem" };
        assert_eq!(mode, row["mode"], "{row}");
        assert_eq!(verdict.reason.to_string(), row["reason"], "{row}");
        let ops: Vec<String> = verdict.ops.iter().map(ToString::to_string).collect();
        assert_eq!(ops, strings(&row["gmem_ops"]), "{row}");
        assert_eq!(verdict.layout.as_str(), row["layout"], "{row}");
        if verdict.capable {
            assert_eq!(verdict.tiling.visibility.used, row["hw_binning"], "{row}");
        }
    }
}

#[test]
fn every_bin_published_from_a_headset() {
    let rows = rows("published_bins.jsonl");
    assert_eq!(rows.len(), 12);
    for row in rows {
        let pass = simple(&row, "s", &strings(&row["att"]));
        let forecast = forecast(&pass, &target(&row));
        assert!(forecast.estimate);
        assert_eq!(u64::from(forecast.bins.unwrap()), row["n"], "{row}");
        if !row["bin"].is_null() {
            assert_eq!(serde_json::json!(forecast.tile), row["bin"], "{row}");
        }
    }
}

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
const D24S8: vk::Format = vk::Format::D24_UNORM_S8_UINT;

fn on(target: &str, pass: &PassShape) -> Forecast {
    forecast(pass, profile::by_name(target).unwrap())
}

/// As [`spec::simple`], with enough draws for nothing to be unusual.
fn guide(size: [u32; 2], views: u32, samples: u32, formats: &[vk::Format]) -> PassShape {
    PassShape { draws: Some(100), ..spec::simple(size, views, samples, formats) }
}

#[test]
fn the_guides_numbers() {
    let quest2 = on("quest2", &guide([1440, 1584], 2, 4, &[RGBA8, D24S8]));
    assert_eq!((quest2.tile, quest2.bins), (Some([96, 176]), Some(135)));
    assert_eq!(quest2.bytes_per_pixel, Some(32));

    let mut pass = guide([1216, 1344], 1, 2, &[RGBA8, D24S8]);
    pass.attachments[0].load = vk::AttachmentLoadOp::LOAD;
    pass.attachments[1].store = vk::AttachmentStoreOp::STORE;
    let quest1 = on("adreno-540", &pass);
    assert_eq!((quest1.tile, quest1.bins), (Some([320, 192]), Some(28)));
    assert_eq!(
        quest1.surface,
        "Surface 1 | 1216x1344 | color 32bit, depth 24bit, stencil 8 bit, MSAA 2 | \
         28 320x192 bins | stages: Binning LoadColor Render StoreColor StoreDepthStencil"
    );
}

#[test]
fn one_draw_goes_direct_and_foveation_has_no_effect() {
    let mut pass = guide([1216, 1344], 1, 1, &[RGBA8]);
    pass.density_map = true;
    let binned = on("quest1", &pass);
    assert_eq!((binned.mode, binned.foveation), (Mode::Binned, Foveation::Applies));
    assert!(binned.bins.unwrap() > 1);
    pass.draws = Some(1);
    let direct = on("quest1", &pass);
    assert_eq!((direct.tile, direct.bins), (Some([1216, 1344]), Some(1)));
    assert_eq!((direct.mode, direct.foveation), (Mode::Direct, Foveation::IgnoredDirect));
    assert_eq!(
        direct.surface,
        "Surface 1 | 1216x1344 | color 32bit, depth 0bit, stencil 0 bit, MSAA 1 | \
         1 1216x1344 bins | mode: Direct | stages: Render"
    );
    // Depth, samples or an unknown count of draws: no such claim.
    let with_depth = PassShape { draws: Some(1), ..guide([1216, 1344], 1, 1, &[RGBA8, D24S8]) };
    let with_samples = PassShape { draws: Some(1), ..guide([1216, 1344], 1, 4, &[RGBA8]) };
    let uncounted = PassShape { draws: None, ..pass };
    for pass in [with_depth, with_samples, uncounted] {
        assert_eq!(on("quest1", &pass).mode, Mode::Binned);
    }
}

#[test]
fn a_density_map_is_ignored_where_samples_are_stored() {
    let mut pass = guide([1440, 1584], 2, 4, &[RGBA8, D24S8]);
    pass.density_map = true;
    assert_eq!(on("quest2", &pass).foveation, Foveation::IgnoredSamples);
    pass.attachments[0].store = vk::AttachmentStoreOp::DONT_CARE;
    assert_eq!(on("quest2", &pass).foveation, Foveation::Applies);
    assert_eq!(on("mali-g78", &pass).foveation, Foveation::Unknown);
}

fn stages(forecast: &Forecast) -> String {
    let words: Vec<&str> = forecast.stages.iter().map(|stage| stage.as_str()).collect();
    words.join(" ")
}

#[test]
fn stages_of_one_plane_and_two() {
    let pass = |format: &str| {
        let depth = format!("att {format} 1 clear store none none");
        let lines = ["fb 2048 2048", "att RGBA8 1 clear store dc dc", &depth, "sub color=0 ds=1"];
        PassShape { draws: None, ..spec::parse(lines).unwrap() }
    };
    // One plane: stencil that passes through is loaded, to be stored with depth.
    let one = on("quest2", &pass("D24S8"));
    assert_eq!(stages(&one), "Binning LoadDepthStencil Render StoreColor StoreDepthStencil");
    let two = on("quest2", &pass("D32S8"));
    assert_eq!(stages(&two), "Binning Render StoreColor StoreDepthStencil");
    let elsewhere = on("mali-g78", &pass("D24S8"));
    assert_eq!(stages(&elsewhere), "Render StoreColor StoreDepthStencil");
}

#[test]
fn a_resolve_in_the_middle_stores_and_reloads() {
    let lines = [
        "fb 1024 1024",
        "att RGBA8 4 clear dc dc dc",
        "att RGBA8 1 dc store dc dc",
        "sub color=0 resolve=1",
        "sub color=1",
        "dep 0 1 color color cw cr|cw region",
        "op draw 10",
    ];
    let pass = spec::parse(lines).unwrap();
    let profile = profile::by_name("quest2").unwrap();
    let open = Options { model: Model::Open, layout: None };
    let forecast = forecast_with(&pass, profile, open);
    assert_eq!(stages(&forecast), "Binning Render StoreColor LoadColor Render StoreColor");
    assert_eq!(profile.resolve_mid_pass_splits(), profile::Evidence::Likely);
}

#[test]
fn a_pass_that_the_driver_knows() {
    let profile = profile::by_name("adreno-650").unwrap();
    let binned = profile.binned.as_ref().unwrap();
    let prefers_direct = |load: &str, samples: u32, resolve: &str, passed: u64| {
        let color = format!("att RGBA8 {samples} {load} dc dc");
        let subpass = format!("sub color=0 {resolve}");
        let lines = ["fb 1024 1024", &color, "att RGBA8 1 dc store dc dc", &subpass];
        let pass = spec::parse(lines).unwrap();
        let bandwidth = verdict::bandwidth(&pass, binned).unwrap();
        verdict::history_prefers_direct(&pass, bandwidth, passed, 4)
    };
    // All loaded and stored, little drawn; and cleared and resolved.
    assert!(prefers_direct("load store", 1, "", 1000));
    assert!(!prefers_direct("clear dc", 4, "resolve=1", 1000));
    // Much drawn: a tenth of it is all that bins pay.
    assert!(!prefers_direct("load store", 1, "", 100 << 20));
}

#[test]
fn layouts_can_be_forced() {
    let pass = guide([1440, 1584], 2, 4, &[RGBA8, D24S8]);
    let profile = profile::by_name("quest2").unwrap();
    let tile = |layout| {
        let options = Options { model: Model::Open, layout };
        let forecast = forecast_with(&pass, profile, options);
        assert!(!forecast.estimate);
        (forecast.tile.unwrap(), forecast.bins.unwrap())
    };
    assert_eq!(tile(None), ([288, 64], 125));
    assert_eq!(tile(Some(Layout::Full)), ([288, 64], 125));
    assert_eq!(tile(Some(Layout::AvoidCcu)), ([96, 176], 135));
}

#[test]
fn unknown_formats_and_unsound_passes_are_unknown() {
    let strange = guide([64, 64], 1, 1, &[vk::Format::G8_B8R8_2PLANE_420_UNORM]);
    let mut unsound = guide([64, 64], 1, 1, &[RGBA8]);
    unsound.subpasses[0].color = vec![Some(7)];
    for profile in profile::all() {
        for model in [Model::Open, Model::Fitted] {
            for pass in [&strange, &unsound] {
                let forecast = forecast_with(pass, profile, Options { model, layout: None });
                assert_eq!(forecast.tile, None, "{}", profile.name);
                assert_eq!(forecast.bins, None, "{}", profile.name);
            }
        }
    }
}

#[test]
fn immediate_targets_have_no_tiles() {
    let forecast = on("immediate", &guide([64, 64], 1, 1, &[RGBA8]));
    assert_eq!((forecast.tile, forecast.bins, forecast.mode), (None, None, Mode::Immediate));
    assert!(!forecast.estimate);
}
