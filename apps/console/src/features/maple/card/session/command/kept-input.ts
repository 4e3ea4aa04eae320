import { redactionOf } from '@grove/contract/maple/program/redaction.rules'
import type { SessionCommandKind } from '@grove/secure-element/host/command-kinds'
import type { CommandInput } from '../../command/command-input.ts'

/** What is typed for each kind of command. */
export type Inputs = Partial<Record<SessionCommandKind, CommandInput>>

/** What a draft keeps: everything but a form whose data the log leaves out too. */
export function keptInputs({ MplStoreData: data, ...others }: Inputs): Inputs {
  const isSecret = data && (data['isSecret'] === true || data['encryption'] !== 'unspecified')
  return data && !isSecret ? { ...others, MplStoreData: data } : others
}

/** Raw bytes as a draft keeps them: nothing of a command with keys, a PIN or a secret. */
export function keptRaw(text: string, isSecret: boolean): string {
  const header =
    text
      .replaceAll(/[^0-9a-f]/gi, '')
      .match(/../g)
      ?.slice(0, 3) ?? []
  const bytes = Uint8Array.from(header, (pair) => Number.parseInt(pair, 16))
  return redactionOf(bytes, isSecret) ? '' : text
}
