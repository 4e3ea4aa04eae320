import type { Command } from '../../apdu.ts'
import { byteAt, readHex, toHex } from '../../bytes.ts'
import { isSame } from '../../secure-channel/messaging.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { Applet, AppletModel } from './model.ts'

const maxBalance = 0x7fff
const maxAmount = 127
const maxTries = 3
const maxPinLength = 8
const standardPin = '0102030405'

const balanceOf = ({ data }: Applet): number => Number.parseInt(data['balance'] ?? '0', 16)
const triesOf = ({ data }: Applet): number => Number.parseInt(data['tries'] ?? '0', 16)

const hexOf = (value: number, bytes: number) =>
  value
    .toString(16)
    .toUpperCase()
    .padStart(bytes * 2, '0')

function verify(applet: Applet, { data }: Command): Uint8Array {
  delete applet.session['isVerified']
  const tries = triesOf(applet)
  if (tries === 0) return refuse('blocked')
  // The try is used up before the comparison, so a power cut does not give it back.
  applet.write((kept) => {
    kept['tries'] = hexOf(tries - 1, 1)
  })
  if (!isSame(readHex(applet.data['pin'] ?? standardPin), data))
    throw new Refusal(0x63c0 | (tries - 1))
  applet.write((kept) => {
    kept['tries'] = hexOf(maxTries, 1)
  })
  applet.session['isVerified'] = '01'
  return new Uint8Array()
}

function change(applet: Applet, { data }: Command, sign: 1 | -1): Uint8Array {
  if (applet.session['isVerified'] === undefined) return refuse('pinRequired')
  if (data.length !== 1) return refuse('wrongLength')
  const amount = byteAt(data, 0)
  if (amount > maxAmount) return refuse('noRecord')
  const balance = balanceOf(applet) + sign * amount
  if (balance > maxBalance) return refuse('noSpace')
  if (balance < 0) return refuse('belowZero')
  applet.write((kept) => {
    kept['balance'] = hexOf(balance, 2)
  })
  return new Uint8Array()
}

/**
 * The wallet among the samples of the Java Card development kit: VERIFY `80200000` with a PIN, CREDIT
 * `80300000` and DEBIT `80400000` with an amount of one byte up to 127, GET BALANCE `8050000002`.
 * `6301` means that the PIN is required, `6A83` a wrong amount, `6A84` and `6A85` a balance above
 * 7FFF or below zero. The parameters of INSTALL are the PIN, by default 0102030405.
 */
export const wallet: AppletModel = {
  name: 'wallet',
  aids: ['A00000006203010C0601'],
  install(parameters) {
    if (parameters.length > maxPinLength) return refuse('wrongData')
    const pin = parameters.length === 0 ? standardPin : toHex(parameters)
    return { balance: hexOf(0, 2), tries: hexOf(maxTries, 1), pin }
  },
  process(applet, command) {
    if (command.cla !== 0x80) return refuse('unknownClass')
    switch (command.ins) {
      case 0x20:
        return verify(applet, command)
      case 0x30:
        return change(applet, command, 1)
      case 0x40:
        return change(applet, command, -1)
      case 0x50:
        return readHex(hexOf(balanceOf(applet), 2))
      default:
        return refuse('unknownInstruction')
    }
  },
}
