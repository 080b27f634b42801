//! Nothing puts a seed into `PrivateRng`.

use discreet::noise::entropy::PrivateRng;

fn seeded<T: rand::SeedableRng>() {}
fn from_bytes<T: From<[u8; 32]>>() {}
fn by_default<T: Default>() {}

fn main() {
    seeded::<PrivateRng>();
    from_bytes::<PrivateRng>();
    by_default::<PrivateRng>();
    let _ = PrivateRng::new(1, 1);
    let _ = PrivateRng(());
}
