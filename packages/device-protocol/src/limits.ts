/** The version of the protocol, sent in `hello`. */
export const protocolVersion = 1

/** Where a device opens its WebSocket. */
export const deviceSocketPath = '/api/maple/gateway/socket'
/** Where it opens a WebSocket that carries MQTT. */
export const mqttSocketPath = '/api/maple/gateway/mqtt'

/** Where a device publishes, and what it subscribes to. `me` stands for its own id. */
export const mqttTopics = (deviceId: string): { up: string; down: string } => ({
  up: `d/${deviceId}/up`,
  down: `d/${deviceId}/down`,
})

/** Characters of one message: a command with an extended length in hex, and what is around it. */
export const maxMessageLength = 140_000
/**
 * Bytes of one message that a gateway reads: more than any with so many characters has, so that one over
 * the limit is refused by its number. Beyond it the connection ends.
 */
export const maxMessageBytes = 4 * maxMessageLength
/** Characters of the data `d` of one message. */
export const longestData = 32_768
/** Arrays and objects inside each other in one message. */
export const deepestData = 16

/** Bytes of a payload that is no JSON, and what says how it came: a port or a topic. */
export const maxPayloadLength = 8192
export const maxPort = 65_535
export const maxTopicLength = 128

/** Messages that a device sends before it waits for an `ack`. */
export const messageWindow = 64

/** Seconds between two signs of life of a device, and how long a silent one counts as connected. */
export const heartbeatSeconds = 30
export const silenceSeconds = 75

/** A boot id: what tells the messages of one start of a device from those of another. */
export const bootPattern = /^[0-9A-Za-z_-]{1,32}$/
/** Names of a version, a program or an event. */
export const maxNameLength = 64
/** Elements that a device offers. */
export const maxOffered = 8

/** Commands that a device remembers with their results, so that it runs each once. */
export const rememberedCommands = 64
/** Commands that wait for a result at once; the device remembers more. */
export const commandWindow = 16
export const commandNamePattern = /^[A-Za-z][\w.-]{0,63}$/
/** Characters of why a command failed, or a key of the desired state was refused. */
export const maxErrorLength = 500
/** Keys that one report refuses. */
export const maxRefused = 100

/** The secret of a device: 32 random bytes in base64url. */
export const secretPattern = /^[\w-]{43}$/
