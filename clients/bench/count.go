// Counts messages: count TOTAL HOST:PORT
package main

import (
	"context"
	"log"
	"os"
	"strconv"

	relay "msgrelay.dev/relay"
)

func main() {
	left, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	options := relay.SubscriberOptions{}
	options.Endpoints = []string{os.Args[2]}
	subscriber, err := relay.NewSubscriber(options)
	if err != nil {
		log.Fatal(err)
	}
	defer subscriber.Close()
	for item, err := range subscriber.Items(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if item.Notice == nil {
			if left--; left == 0 {
				return
			}
		}
	}
}
