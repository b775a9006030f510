//! Publishes each line of its input, and waits for the acknowledgements: `publisher [HOST:PORT] [NAME]`.

use msgrelay::{Publisher, PublisherOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut options = PublisherOptions::new([arguments.next().unwrap_or("127.0.0.1:7401".into())]);
    options.acks = true;
    options.connection.name = arguments.next().unwrap_or("lines".into());
    let publisher = Publisher::open(options)?;
    for line in std::io::stdin().lines() {
        publisher.publish(1, line?.as_bytes()).await?;
    }
    publisher.close().await?;
    Ok(())
}
