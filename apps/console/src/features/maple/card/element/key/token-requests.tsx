import type { TokenRequest } from '@grove/contract/maple/card/purpose-key'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { saveJson } from '../../../../../ui/file/save-json.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { tokensFormat } from '../../delegation-files.ts'
import { tokensQuery } from './key.api.ts'
import styles from './key.module.css'
import { RequestItem } from './request-item.tsx'

/** A person's signing requests, and the tokens once someone else has approved. */
export function TokenRequests({ cplc }: { cplc: string }) {
  const { data } = useQuery(tokensQuery(cplc))
  if (!data || data.items.length === 0) return null
  return (
    <ul className={styles.sets}>
      {data.items.map((each) => (
        <TokensItem key={each.id} wanted={each} />
      ))}
    </ul>
  )
}

function TokensItem({ wanted }: { wanted: TokenRequest }) {
  const { t } = useLingui()
  const { cplc, commands, tokens, approval, createdAt } = wanted
  return (
    <RequestItem
      title={t`Tokens for ${plural(commands.length, { one: '# command', other: '# commands' })}`}
      approval={approval}
      saveLabel={t`Save the tokens`}
      onSave={tokens && (() => saveJson(fileOf(wanted, tokens), `tokens-${icSerial(cplc)}.json`))}
    >
      <Trans>
        Requested <DateText value={createdAt} isRelative />
      </Trans>
    </RequestItem>
  )
}

const fileOf = ({ cplc, commands }: TokenRequest, tokens: readonly string[]) => ({
  format: tokensFormat,
  cplc,
  tokens: commands.map((command, index) => ({ command, token: tokens[index] ?? '' })),
})
