/** The version of the protocol, sent in `hello`. */
export const protocolVersion = 1

/** The WebSocket endpoint of devices. */
export const deviceSocketPath = '/api/maple/gateway/socket'
/** The endpoint of a WebSocket that carries MQTT. */
export const mqttSocketPath = '/api/maple/gateway/mqtt'

/** Topics to publish and to subscribe to. `me` stands for the device's own id. */
export const mqttTopics = (deviceId: string): { up: string; down: string } => ({
  up: `d/${deviceId}/up`,
  down: `d/${deviceId}/down`,
})

/** Maximum characters of one message: a command with an extended length in hex, plus its envelope. */
export const maxMessageLength = 140_000
/**
 * Maximum bytes of one message that a gateway reads: more than this many characters can take, so that
 * a message over the limit is refused by its number. Beyond it the connection is closed.
 */
export const maxMessageBytes = 4 * maxMessageLength
/** Maximum characters of the data `d` of one message. */
export const longestData = 32_768
/** Maximum nesting of arrays and objects in one message. */
export const deepestData = 16

/** Maximum bytes of a non-JSON payload, and of the port or topic that it came by. */
export const maxPayloadLength = 8192
export const maxPort = 65_535
export const maxTopicLength = 128

/** Messages in flight before a device waits for an `ack`. */
export const messageWindow = 64

/** Seconds between heartbeats of a device, and how long a silent one counts as connected. */
export const heartbeatSeconds = 30
export const silenceSeconds = 75

/** A boot id distinguishes the messages of one start of a device from those of another. */
export const bootPattern = /^[0-9A-Za-z_-]{1,32}$/
/** Names of a version, a program or an event. */
export const maxNameLength = 64
/** Maximum elements that a device offers. */
export const maxOffered = 8

/** Commands whose results a device remembers, so that it runs each once. */
export const rememberedCommands = 64
/** Maximum commands waiting for a result; the device remembers more. */
export const commandWindow = 16
export const commandNamePattern = /^[A-Za-z][\w.-]{0,63}$/
/**
 * Maximum characters of a command's error, or of the reason why a key of the desired state was
 * refused.
 */
export const maxErrorLength = 500
/** Maximum keys that one report refuses. */
export const maxRefused = 100

/** A device secret: 32 random bytes in base64url. */
export const secretPattern = /^[\w-]{43}$/
