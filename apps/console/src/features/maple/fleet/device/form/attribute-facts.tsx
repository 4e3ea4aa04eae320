import { Trans } from '@lingui/react/macro'
import type { AttributeRow } from './label-values.ts'

/** The attributes of a form in a few words. */
export const AttributeFacts = ({ rows }: { rows: readonly AttributeRow[] }) =>
  rows.length === 0 ? (
    <em>
      <Trans>none</Trans>
    </em>
  ) : (
    <ul>
      {rows.map(({ row, key, text }) => (
        <li key={row}>
          <code>{key}</code>: <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  )
