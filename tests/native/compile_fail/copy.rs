//! A generator of a release cannot be copied, so no stream is used twice.

use discreet::noise::entropy::PrivateRng;

fn copied<T: Clone>(_: T) {}

fn main() {
    copied(PrivateRng::from_os().unwrap());
}
