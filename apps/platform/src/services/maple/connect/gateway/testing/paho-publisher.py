# Publishes events with QoS 1 by paho-mqtt, and prints the number of each that was confirmed.
import sys
import time

import paho.mqtt.client as mqtt

port, secret, version, count = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
protocol = mqtt.MQTTv5 if version == "5" else mqtt.MQTTv311
if hasattr(mqtt, "CallbackAPIVersion"):
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION1, protocol=protocol)
else:
    client = mqtt.Client(protocol=protocol)
client.username_pw_set("anything", secret)
client.reconnect_delay_set(min_delay=1, max_delay=1)

numbers = {}
early = set()
confirmed = set()


def confirm(number):
    confirmed.add(number)
    print(number, flush=True)


def on_connect(client, *_):
    client.publish("d/me/up", '{"t":"hello","v":1,"boot":"paho"}', qos=1)


def on_publish(client, userdata, mid, *_):
    if mid in numbers:
        confirm(numbers.pop(mid))
    else:
        early.add(mid)


client.on_connect = on_connect
client.on_publish = on_publish
client.connect("127.0.0.1", port, keepalive=10)
client.loop_start()
for number in range(1, count + 1):
    text = '{"t":"event","boot":"paho","seq":%d,"d":%d}' % (number, number)
    mid = client.publish("d/me/up", text, qos=1).mid
    if mid in early:
        early.discard(mid)
        confirm(number)
    else:
        numbers[mid] = number
    time.sleep(0.02)
until = time.time() + 90
while len(confirmed) < count and time.time() < until:
    time.sleep(0.05)
client.loop_stop()
