//! Reading of transfers and clears.

use super::commands::{self, Spot};
use super::lex::Lexed;
use super::parse::Parser;
use super::refs::{ImagePart, Sub};
use super::row::{Done, Row};
use super::specs::ClearValue;
use crate::call::*;

impl Parser<'_> {
    pub fn transfer(&mut self, line: &Lexed) -> Done {
        let mut given = commands::TransferLine {
            from: Spot::Buffer(BufferKey(0)),
            to: Spot::Buffer(BufferKey(0)),
            layouts: Default::default(),
            extents: Default::default(),
            offsets: Default::default(),
            aspects: Default::default(),
            version: 1,
            joined: false,
            empty: false,
        };
        let mut row = Row::read(line, &mut self.scene);
        commands::transfer(&mut row, &mut given)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        let regions = self.regions(&given);
        if given.joined && unknown.is_empty() {
            return match self.last_command(line)? {
                Command::Transfer(last) => {
                    last.regions.extend(regions);
                    Ok(())
                }
                _ => Err(line.error(line.column, "`joined` needs a line like it before")),
            };
        }
        let end = |spot: Spot, layout| match spot {
            Spot::Image(image, _) => TransferEnd::Image(image, layout),
            Spot::Buffer(buffer) => TransferEnd::Buffer(buffer),
        };
        let kind = match line.verb.as_str() {
            "copy" => TransferKind::Copy,
            "blit" => TransferKind::Blit,
            _ => TransferKind::Resolve,
        };
        let transfer = Transfer {
            kind,
            from: end(given.from, given.layouts[0]),
            to: end(given.to, given.layouts[1]),
            regions,
            version: given.version,
        };
        self.record(line, &unknown, Command::Transfer(Box::new(transfer)));
        Ok(())
    }

    /// The regions of a transfer: one for each mip that both ends name.
    fn regions(&self, given: &commands::TransferLine) -> Vec<(Region, Region)> {
        let mips = |spot: &Spot| match spot {
            Spot::Image(image, sub) => {
                let all = self.scene.images.get(image).map_or(1, |i| i.mips);
                let count =
                    if sub.mips == !0 { all.saturating_sub(sub.base_mip) } else { sub.mips };
                Some(sub.base_mip..sub.base_mip.saturating_add(count.clamp(1, 32)))
            }
            Spot::Buffer(_) => None,
        };
        let (from, to) = (mips(&given.from), mips(&given.to));
        let count = [&from, &to].into_iter().flatten().map(|r| r.end - r.start).min().unwrap_or(1);
        let mut regions = Vec::new();
        for index in 0..if given.empty { 0 } else { count } {
            let region = |end: usize| {
                let (spot, mips) = if end == 0 { (&given.from, &from) } else { (&given.to, &to) };
                let sub = if let Spot::Image(_, sub) = spot { *sub } else { Sub::ALL };
                Region {
                    mip: mips.as_ref().map_or(0, |m| m.start + index),
                    base_layer: sub.base_layer,
                    layers: sub.layers,
                    aspects: given.aspects[end],
                    offset: given.offsets[end],
                    extent: given.extents[end],
                }
            };
            regions.push(match (&from, &to) {
                (None, Some(_)) => (region(1), region(1)),
                (Some(_), None) => (region(0), region(0)),
                _ => (region(0), region(1)),
            });
        }
        regions
    }

    pub fn clear(&mut self, line: &Lexed) -> Done {
        let mut image = ImagePart(ImageKey(0), Sub::ALL);
        let (mut aspects, mut layout, mut joined) = Default::default();
        let mut value = ClearValue::of([0; 4]);
        let mut row = Row::read(line, &mut self.scene);
        row.subject("image", &mut image)?;
        commands::clear(&mut row, &mut aspects, &mut value, &mut layout, &mut joined)?;
        let unknown = std::mem::take(&mut row.unknown);
        row.finish()?;
        let range = commands::range(image.1, aspects);
        if joined && unknown.is_empty() {
            return match self.last_command(line)? {
                Command::Clear(last) => {
                    last.ranges.push(range);
                    Ok(())
                }
                _ => Err(line.error(line.column, "`joined` needs a line like it before")),
            };
        }
        let format = self.scene.images.get(&image.0).map(|i| i.format).unwrap_or_default();
        let value = value.words(format);
        let clear = Clear { image: image.0, layout, ranges: vec![range], value };
        self.record(line, &unknown, Command::Clear(Box::new(clear)));
        Ok(())
    }
}
