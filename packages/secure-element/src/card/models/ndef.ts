import type { Command } from '../../apdu.ts'
import { concat, readHex, toHex } from '../../bytes.ts'
import { refuse } from '../refusal.ts'
import type { Applet, AppletModel } from './model.ts'

/** Maximum length of a message. */
const capacity = 1022
const maxPieceLength = 0xf6
const files = { capabilities: 'E103', message: 'E104' } as const

const twoBytes = (value: number) => [value >> 8, value & 0xff]

/** The capability container: version 2.0, one file that anyone may read and write. */
const capabilities = concat(
  [0x00, 0x0f, 0x20],
  twoBytes(maxPieceLength),
  twoBytes(maxPieceLength),
  [0x04, 0x06],
  readHex(files.message),
  twoBytes(capacity + 2),
  [0x00, 0x00],
)

const fileOf = ({ data, session }: Applet): Uint8Array => {
  if (session['file'] === files.capabilities) return capabilities
  return session['file'] === files.message ? readHex(data['message'] ?? '0000') : refuse('noFile')
}

function select({ session }: Applet, { p1, p2, data }: Command): Uint8Array {
  const file = toHex(data)
  if (p1 !== 0x00 || (p2 !== 0x0c && p2 !== 0x00)) return refuse('wrongParameters')
  if (file !== files.capabilities && file !== files.message) return refuse('notFound')
  session['file'] = file
  return new Uint8Array()
}

const offsetOf = ({ p1, p2 }: Command, size: number): number => {
  const offset = (p1 << 8) | p2
  return offset > size ? refuse('wrongOffset') : offset
}

function update(applet: Applet, command: Command): Uint8Array {
  const file = fileOf(applet)
  if (applet.session['file'] === files.capabilities) return refuse('notSecure')
  const { data } = command
  const offset = offsetOf(command, file.length)
  if (data.length === 0 || data.length > maxPieceLength) return refuse('wrongLength')
  if (offset + data.length > file.length) return refuse('noSpace')
  const changed = file.slice()
  changed.set(data, offset)
  applet.write((kept) => {
    kept['message'] = toHex(changed)
  })
  return new Uint8Array()
}

/**
 * An NFC Forum Type 4 tag: SELECT by file id, READ BINARY and UPDATE BINARY of the capability
 * container and of one NDEF file. The parameters of INSTALL are its first message.
 */
export const ndef: AppletModel = {
  name: 'ndef',
  aids: ['D2760000850101'],
  install(parameters) {
    if (parameters.length > capacity) return refuse('noSpace')
    const rest = new Uint8Array(capacity - parameters.length)
    return { message: toHex(concat(twoBytes(parameters.length), parameters, rest)) }
  },
  process(applet, command) {
    if (command.cla !== 0x00) return refuse('unknownClass')
    switch (command.ins) {
      case 0xa4:
        return select(applet, command)
      case 0xb0: {
        const file = fileOf(applet)
        const offset = offsetOf(command, file.length)
        return file.slice(offset, offset + Math.min(command.le ?? maxPieceLength, 256))
      }
      case 0xd6:
        return update(applet, command)
      default:
        return refuse('unknownInstruction')
    }
  },
  /** Issuers may also write the message with STORE DATA. */
  personalize(applet, data) {
    if (data.length > capacity) return refuse('noSpace')
    const rest = new Uint8Array(capacity - data.length)
    applet.write((kept) => {
      kept['message'] = toHex(concat(twoBytes(data.length), data, rest))
    })
  },
}
