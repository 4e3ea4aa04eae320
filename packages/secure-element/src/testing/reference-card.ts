import type { SeTransport } from '../host/transport.ts'
import {
  aes,
  bytes,
  cipher,
  cmac,
  des,
  des1,
  des3,
  hexOf,
  kdf,
  lengthOf,
  pad,
  retail,
  two,
  unpad,
} from './reference-crypto.ts'

/**
 * A second implementation of the card's side of SCP02 and SCP03, to test the host against. It shares
 * no code with it: hex strings instead of bytes, CMAC and retail MAC block by block from RFC 4493 and
 * ISO/IEC 9797-1, its own parsing.
 */
export interface ReferenceCard {
  protocol: 2 | 3
  /** Option `i`. */
  option: number
  /** Static keys in hex. */
  enc: string
  mac: string
  /** The AID of the selected application, which begins the MACs of an implicit channel. */
  aid?: string
  /** Takes a plain command in hex and returns a reply in hex. */
  answer(plain: string): string
}

interface Session {
  enc: string
  mac: string
  rmac: string
  hostCryptogram: string
  level: number
  chain: string
  /** The MAC of the last SCP02 reply. */
  replied: string
  /** Header, length and plain data of the last command. */
  command: string
  counter: number
  isOpen: boolean
}

const challenge3 = 'a1a2a3a4a5a6a7a8'
const challenge3Long = `${challenge3}b1b2b3b4b5b6b7b8`
const challenge2 = 'c1c2c3c4c5c6'
const sequence3 = '000005'
const sequence2 = '0007'

export function referenceCard(card: ReferenceCard): SeTransport & { plain: string[] } {
  let session: Session | undefined
  let waiting = ''
  const plain: string[] = []
  /** Length of challenges, cryptograms and MACs in bytes. */
  const tag = card.protocol === 3 && (card.option & 1) !== 0 ? 16 : 8

  const keys02 = () => {
    const derive = (key: string, constant: string) =>
      cipher('des-ede3-cbc', des3(key), '0'.repeat(16), `${constant}${sequence2}${'00'.repeat(12)}`)
    const macKey = (card.option & 1) === 0 ? card.enc : card.mac
    return {
      enc: derive(card.enc, '0182'),
      mac: derive(macKey, '0101'),
      rmac: derive(macKey, '0102'),
    }
  }

  /** SCP02 without INITIALIZE UPDATE. */
  const isImplicit = card.protocol === 2 && (card.option & 4) === 0
  const implicitSession = (): Session => {
    const keys = keys02()
    // The MAC of the AID is not encrypted: decrypting it beforehand undoes the encryption.
    const named = retail(keys.mac, card.aid ?? '', '0'.repeat(16))
    const chain = (card.option & 0x10) === 0 ? named : des(des1(keys.mac), named, true)
    const common = { replied: '', command: '', counter: 0, isOpen: true, hostCryptogram: '' }
    return { ...common, ...keys, level: 1, chain }
  }

  const initialize = (host: string): string => {
    const common = { level: 0, chain: '', replied: '', command: '', counter: 0, isOpen: false }
    if (card.protocol === 3) {
      if (host.length !== 2 * tag) return '6700'
      const own = tag === 16 ? challenge3Long : challenge3
      const context = host + own
      const bits = card.enc.length * 4
      const mac = kdf(card.mac, '06', context, bits)
      session = {
        ...common,
        enc: kdf(card.enc, '04', context, bits),
        mac,
        rmac: kdf(card.mac, '07', context, bits),
        hostCryptogram: kdf(mac, '01', context, 8 * tag),
        chain: '0'.repeat(32),
      }
      const sequence = (card.option & 0x10) === 0 ? '' : sequence3
      const proof = kdf(mac, '00', context, 8 * tag)
      return `${'00'.repeat(10)}3003${two(card.option)}${own}${proof}${sequence}9000`
    }
    const keys = keys02()
    const { enc } = keys
    const full = (message: string) =>
      cipher('des-ede3-cbc', des3(enc), '0'.repeat(16), pad(message, 8)).slice(-16)
    session = {
      ...common,
      ...keys,
      hostCryptogram: full(sequence2 + challenge2 + host),
    }
    return `${'00'.repeat(10)}2002${sequence2}${challenge2}${full(host + sequence2 + challenge2)}9000`
  }

  /** Verifies the MAC of a command and returns its data without it, or undefined. */
  const checked = (open: Session, header: string, sent: string): string | undefined => {
    const data = sent.slice(0, -2 * tag)
    const mac = sent.slice(-2 * tag)
    if (card.protocol === 3) {
      open.chain = cmac(open.mac, open.chain + header + lengthOf(sent) + data)
      return open.chain.startsWith(mac) ? data : undefined
    }
    const isEncrypted = open.isOpen && (open.level & 2) !== 0 && data !== ''
    const clear = isEncrypted
      ? unpad(cipher('des-ede3-cbc', des3(open.enc), '0'.repeat(16), data, true))
      : data
    const chained = (card.option & 0x10) === 0 ? open.chain : des(des1(open.mac), open.chain)
    const iv = open.chain === '' ? '0'.repeat(16) : chained
    const bare = two(Number.parseInt(header.slice(0, 2), 16) & ~4) + header.slice(2)
    open.command = `${bare}${lengthOf(clear)}${clear}`
    const covered =
      (card.option & 2) === 0
        ? header + lengthOf(`${clear}${'00'.repeat(8)}`) + clear
        : open.command
    open.chain = retail(open.mac, covered, iv)
    return open.chain === mac ? clear : undefined
  }

  const iv = (open: Session, top: string) =>
    aes(open.enc, `${top}${open.counter.toString(16).padStart(30, '0')}`)

  const answer = (command: string): string => {
    if (isImplicit && command.startsWith('80ca00c1')) return `c10300${sequence2}9000`
    if (isImplicit && command.startsWith('80ca00cf')) return '6a88'
    if (isImplicit) session ??= implicitSession()
    if (command.startsWith('8050'))
      return initialize(command.slice(10, 10 + 2 * Number.parseInt(command.slice(8, 10), 16)))
    const open = session
    if (!open) return '6985'
    if (command.startsWith('8482')) {
      const data = checked(open, command.slice(0, 8), command.slice(10, 10 + 4 * tag))
      if (data !== open.hostCryptogram) return '6300'
      open.level = Number.parseInt(command.slice(4, 6), 16)
      open.isOpen = true
      open.replied = open.chain
      return '9000'
    }
    if (!open.isOpen) return '6982'
    if ((open.level & 1) === 0) {
      plain.push(command)
      return card.answer(command)
    }
    const size = Number.parseInt(command.slice(8, 10), 16) * 2
    // A fragment of a longer INSTALL or PUT KEY.
    waiting += command.slice(10, 10 + size)
    if (/^84(e6|d8)[89a-f]/.test(command) && size === 510) return '9000'
    const sent = waiting
    waiting = ''
    let data = checked(open, command.slice(0, 8), sent)
    if (data === undefined) {
      session = undefined
      return '6982'
    }
    const name = `aes-${open.enc.length * 4}-cbc`
    if (card.protocol === 3 && (open.level & 2) !== 0) {
      open.counter++
      if (data !== '') data = unpad(cipher(name, open.enc, iv(open, '00'), data, true))
    }
    const le = command.slice(10 + size)
    const cla = two(Number.parseInt(command.slice(0, 2), 16) & ~4)
    const lc = data === '' ? '' : lengthOf(data)
    const clear = `${cla}${command.slice(2, 8)}${lc}${data}${le}`
    plain.push(clear)
    const reply = card.answer(clear)
    const word = reply.slice(-4)
    if ((open.level & 0x10) !== 0 && card.protocol === 2) {
      const own = reply.slice(0, -4)
      const covered = open.command + two(own.length / 2) + own + word
      open.replied = retail(open.rmac, covered.toLowerCase(), open.replied)
      return own + open.replied + word
    }
    if ((open.level & 0x10) === 0 || !/^(9000|6[23])/.test(word)) return reply
    let out = reply.slice(0, -4)
    if ((open.level & 0x20) !== 0 && out !== '')
      out = cipher(name, open.enc, iv(open, '80'), pad(out, 16))
    return out + cmac(open.rmac, open.chain + out + word).slice(0, 2 * tag) + word
  }

  return {
    plain,
    transmit: (command) => Promise.resolve(new Uint8Array(bytes(answer(hexOf(command))))),
  }
}
