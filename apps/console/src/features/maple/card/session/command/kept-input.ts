import { redactionOf } from '@grove/contract/maple/program/redaction.rules'
import type { SessionCommandKind } from '@grove/secure-element/host/command-kinds'
import type { CommandInput } from '../../command/command-input.ts'

/** The input for each kind of command. */
export type Inputs = Partial<Record<SessionCommandKind, CommandInput>>

/** What a draft keeps: everything except forms whose data is also left out of the log. */
export function keptInputs({ MplStoreData: data, ...others }: Inputs): Inputs {
  const isSecret = data && (data['isSecret'] === true || data['encryption'] !== 'unspecified')
  return data && !isSecret ? { ...others, MplStoreData: data } : others
}

/** Raw bytes as a draft keeps them: nothing from a command with keys, a PIN or a secret. */
export function keptRaw(text: string, isSecret: boolean): string {
  const header =
    text
      .replaceAll(/[^0-9a-f]/gi, '')
      .match(/../g)
      ?.slice(0, 3) ?? []
  const bytes = Uint8Array.from(header, (pair) => Number.parseInt(pair, 16))
  return redactionOf(bytes, isSecret) ? '' : text
}
