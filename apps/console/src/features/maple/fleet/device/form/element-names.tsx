import { Trans } from '@lingui/react/macro'
import { ChipName } from '../element/chip-name.tsx'
import { icSerial, normalizeCplc } from '@grove/secure-element/cplc'
import type { ElementRow } from './device-values.ts'

/** The elements of a device in a few words. */
export function ElementNames({ rows }: { rows: readonly ElementRow[] }) {
  if (rows.length === 0)
    return (
      <em>
        <Trans>none</Trans>
      </em>
    )
  return (
    <ul>
      {rows.map(({ key, text }) => {
        const cplc = normalizeCplc(text)
        const serial = icSerial(cplc)
        return (
          <li key={key}>
            <ChipName cplc={cplc} /> · <Trans>serial {serial}</Trans>
          </li>
        )
      })}
    </ul>
  )
}
