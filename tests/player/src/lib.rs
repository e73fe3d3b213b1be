//! player.
