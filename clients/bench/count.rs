//! Counts messages: `count TOTAL HOST:PORT`.

use msgrelay::{Item, Subscriber, SubscriberOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), msgrelay::Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let mut left: u64 = arguments[1].parse().expect("TOTAL");
    let mut subscriber = Subscriber::open(SubscriberOptions::new([arguments[2].clone()]))?;
    while left > 0 {
        if let Item::Message(_) = subscriber.next().await? {
            left -= 1;
        }
    }
    Ok(())
}
