// Counts messages: count.mjs TOTAL HOST:PORT
import { Subscriber } from "../typescript/dist/index.js";

let left = Number(process.argv[2]);
const subscriber = new Subscriber({ endpoints: process.argv[3] });
while (left > 0) {
    for (const item of await subscriber.batch()) {
        left -= item.kind === "message" ? 1 : 0;
    }
}
await subscriber.close();
