//! Prints every message, and every gap in its place: `subscriber [HOST:PORT]`.

use msgrelay::{Event, Item, Start, Subscriber, SubscriberOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), msgrelay::Error> {
    let relay = std::env::args().nth(1).unwrap_or("127.0.0.1:7400".into());
    let mut options = SubscriberOptions::new([relay]);
    options.start = Start::Earliest;
    let mut subscriber = Subscriber::open(options)?;
    loop {
        match subscriber.next().await? {
            Item::Message(message) => println!(
                "{} {} {}",
                message.sequence.unwrap_or(0),
                message.message_type,
                String::from_utf8_lossy(&message.body)
            ),
            Item::Event(Event::Gap { from, to, .. }) => println!("missed {from} to {to}"),
            Item::Event(_) => {}
        }
    }
}
