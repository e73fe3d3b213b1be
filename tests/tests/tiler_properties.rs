//! What must hold for any pass on any GPU that bins.

use ash::vk;
use proptest::prelude::*;
use tilelint::profile::{self, Binned, Profile};
use tilelint::tiler::bins::{self, Bins};
use tilelint::tiler::planes::{self, Budget};
use tilelint::tiler::{Model, Options, PassShape, forecast_with, spec};

fn adreno() -> impl Strategy<Value = &'static Profile> {
    let binned = profile::all().iter().filter(|profile| profile.binned.is_some());
    prop::sample::select(binned.collect::<Vec<_>>())
}

fn formats() -> impl Strategy<Value = Vec<vk::Format>> {
    let color = prop::sample::select(vec![
        vk::Format::R8G8B8A8_UNORM,
        vk::Format::R8_UNORM,
        vk::Format::R8G8_UNORM,
        vk::Format::R16G16B16A16_SFLOAT,
        vk::Format::R32G32B32A32_SFLOAT,
    ]);
    let depth = prop::sample::select(vec![
        vk::Format::D16_UNORM,
        vk::Format::D24_UNORM_S8_UINT,
        vk::Format::D32_SFLOAT,
        vk::Format::D32_SFLOAT_S8_UINT,
    ]);
    (prop::collection::vec(color, 1..5), prop::option::of(depth)).prop_map(|(mut all, depth)| {
        all.extend(depth);
        all
    })
}

fn size() -> impl Strategy<Value = [u32; 2]> {
    prop::array::uniform2(1u32..5000)
}

fn samples() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![1u32, 2, 4])
}

/// No bins at all is worse than any number of them.
fn count(bins: Option<Bins>) -> u32 {
    bins.map_or(u32::MAX, Bins::count)
}

fn budget(pass: &PassShape, memory: u32, binned: &Binned) -> Budget {
    planes::budget(&planes::planes(pass).unwrap(), memory, binned)
}

type Search = fn([u32; 2], u32, Budget, &Binned) -> Option<Bins>;
const SEARCHES: [Search; 2] = [bins::open, bins::fitted];

proptest! {
    // Failures print their input; a file of past ones would be written beside the tests.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bins_cover_the_framebuffer_and_fit(
        profile in adreno(),
        formats in formats(),
        size in size(),
        views in 1u32..7,
        samples in samples(),
    ) {
        let binned = profile.binned.as_ref().unwrap();
        let pass = spec::simple(size, views, samples, &formats);
        let budget = budget(&pass, binned.tile_memory, binned);
        for search in SEARCHES {
            let Some(bins) = search(size, views, budget, binned) else { continue };
            for (side, pixels) in size.into_iter().enumerate() {
                prop_assert!(bins.tile[side] * bins.grid[side] >= pixels);
                prop_assert!(bins.tile[side] <= binned.max_tile[side]);
                prop_assert_eq!(bins.tile[side] % budget.align[side], 0);
            }
            prop_assert!(bins.tile[0] * bins.tile[1] * views <= budget.pixels);
        }
    }

    #[test]
    fn more_pixels_views_or_bytes_never_give_fewer_bins(
        profile in adreno(),
        formats in formats(),
        size in size(),
        more in prop::array::uniform2(0u32..500),
        views in 2u32..6,
        samples in samples(),
    ) {
        let binned = profile.binned.as_ref().unwrap();
        let pass = spec::simple(size, views, samples, &formats);
        let asked = budget(&pass, binned.tile_memory, binned);
        let base = count(bins::open(size, views, asked, binned));
        let larger = [size[0] + more[0], size[1] + more[1]];
        prop_assert!(base <= count(bins::open(larger, views, asked, binned)), "pixels");
        prop_assert!(base <= count(bins::open(size, views + 1, asked, binned)), "views");
        let fewer = Budget { pixels: asked.pixels - asked.pixels / 7, ..asked };
        prop_assert!(base <= count(bins::open(size, views, fewer, binned)), "bytes");
    }

    #[test]
    fn more_samples_never_give_fewer_bins_at_equal_alignment(
        profile in adreno(),
        formats in formats(),
        size in size(),
        views in 1u32..4,
        samples in samples(),
    ) {
        let binned = profile.binned.as_ref().unwrap();
        let of = |samples| {
            let pass = spec::simple(size, views, samples, &formats);
            budget(&pass, binned.tile_memory, binned)
        };
        let (few, many) = (of(samples), of(2 * samples));
        if few.align != many.align {
            return Ok(());
        }
        // Layers are aligned by the smallest plane, which doubles: leave it as it was.
        let many = Budget { smallest: few.smallest, ..many };
        let base = count(bins::open(size, views, few, binned));
        prop_assert!(base <= count(bins::open(size, views, many, binned)));
    }

    // Planes get whole granules, in order: a little more memory may give one plane a granule that
    // another lacks. Twice as much is more for every plane.
    #[test]
    fn twice_the_tile_memory_never_gives_more_bins(
        profile in adreno(),
        formats in formats(),
        size in size(),
        views in 1u32..4,
        samples in samples(),
    ) {
        let pass = spec::simple(size, views, samples, &formats);
        let binned = profile.binned.as_ref().unwrap();
        let of = |memory| budget(&pass, memory, binned);
        let (less, more) = (of(binned.tile_memory), of(2 * binned.tile_memory));
        prop_assert!(less.pixels <= more.pixels);
        let bins = |budget| count(bins::open(size, views, budget, binned));
        prop_assert!(bins(more) <= bins(less));
    }

    #[test]
    fn no_pass_breaks_a_forecast(
        index in 0..profile::all().len(),
        formats in formats(),
        size in prop::array::uniform2(prop_oneof![0u32..64, 60_000u32..70_000, Just(u32::MAX)]),
        views in 1u32..33,
        samples in prop::sample::select(vec![1u32, 64]),
    ) {
        let pass = spec::simple(size, views, samples, &formats);
        for model in [Model::Open, Model::Fitted] {
            let options = Options { model, layout: None };
            let forecast = forecast_with(&pass, &profile::all()[index], options);
            prop_assert_eq!(forecast.tile.is_some(), forecast.bins.is_some());
        }
    }
}
