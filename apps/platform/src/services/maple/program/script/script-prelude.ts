/**
 * The remaining globals of a script: `input`, `assertSW` and `tlv` are built from the platform's
 * calls.
 */
export const scriptPrelude = `
{
  const values = globalThis.input
  const has = Object.hasOwn
  const textOf = String
  const { freeze } = Object
  const errorOf = (name, message) => {
    const error = new Error(message)
    error.name = name
    return error
  }
  const status = (sw) => sw.toString(16).toUpperCase().padStart(4, '0')
  let last
  const { select, send, transmit, batch, open, install } = globalThis.se
  const remember = (what, call) => (...args) => {
    const reply = call(...args)
    last = { what, reply }
    return reply
  }
  const named = (command) =>
    typeof command === 'string' ? 'The command' : textOf(command?.kind)
  globalThis.se = freeze({
    select: remember('SELECT', select),
    send: (command) => remember(named(command), send)(command),
    transmit: remember('The command', transmit),
    batch: (commands, options) => {
      const replies = batch(commands, options)
      const at = replies.length - 1
      if (at >= 0) last = { what: named(commands[at]), reply: replies[at] }
      return replies
    },
    open,
    install,
  })
  const { secret, prompt } = globalThis.script
  delete globalThis.script
  globalThis.secret = (name) => secret(textOf(name))
  globalThis.prompt = (text, options) => prompt(textOf(text), options)
  globalThis.input = (name, otherwise) => {
    if (has(values, name) && values[name] !== '') return values[name]
    if (otherwise !== undefined) return otherwise
    throw errorOf('InputError', 'The input ' + textOf(name) + ' is missing.')
  }
  globalThis.assertSW = (first = 0x9000, ...more) => {
    if (!last) throw errorOf('StatusError', 'Nothing was sent yet.')
    const wanted = [first, ...more]
    const { what, reply } = last
    if (!wanted.includes(reply.sw))
      throw errorOf(
        'StatusError',
        what + ' answered ' + reply.status + ' (' + reply.meaning + '), not ' +
          wanted.map(status).join(' or '),
      )
    return reply
  }
  const byteAt = (hex, at) => {
    const byte = hex.slice(2 * at, 2 * at + 2)
    if (!/^[0-9A-Fa-f]{2}$/.test(byte))
      throw errorOf('TlvError', 'Byte ' + at + ' of the data is missing or is not hex.')
    return parseInt(byte, 16)
  }
  globalThis.tlv = (hex) => {
    const nodes = []
    for (let at = 0; 2 * at < hex.length; ) {
      const start = at
      const first = byteAt(hex, at++)
      if ((first & 0x1f) === 0x1f) while (byteAt(hex, at++) & 0x80);
      const tag = hex.slice(2 * start, 2 * at).toUpperCase()
      let length = byteAt(hex, at++)
      if (length > 0x80) {
        const bytes = length & 0x7f
        length = 0
        for (let each = 0; each < bytes; each++) length = length * 256 + byteAt(hex, at++)
      }
      if (hex.length < 2 * (at + length))
        throw errorOf('TlvError', 'The value of ' + tag + ' is cut off.')
      const value = hex.slice(2 * at, 2 * (at + length))
      nodes.push({ tag, value, children: first & 0x20 ? globalThis.tlv(value) : [] })
      at += length
    }
    return nodes
  }
}
`
