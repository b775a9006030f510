"""Counts messages: count.py TOTAL HOST:PORT"""

import asyncio
import sys

from msgrelay import Message, SubscriberOptions, aio


async def main() -> None:
    left = int(sys.argv[1])
    async with aio.Subscriber(SubscriberOptions(sys.argv[2])) as subscriber:
        while left > 0:
            left -= sum(type(item) is Message for item in await subscriber.batch())


asyncio.run(main())
