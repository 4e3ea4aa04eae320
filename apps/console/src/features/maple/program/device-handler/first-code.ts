/** The starter code of a new handler: a payload of three bytes, and one command. */
export const firstCode = `// Reads what a device sent: bytes, hex or base64, and its port or topic.
function decode({ bytes }) {
  if (bytes.length < 3) throw new Error('A measurement has three bytes')
  return {
    telemetry: {
      battery: bytes[0] / 10,
      temperature: (((bytes[1] << 24) >> 16) | bytes[2]) / 100,
    },
  }
}

// Makes the bytes of a command. What it returns nothing for goes out as it is.
function encode({ name, data }) {
  if (name === 'interval') return { bytes: [1, data.minutes], port: 2 }
}
`
