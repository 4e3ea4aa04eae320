import { useLingui } from '@lingui/react/macro'
import { chipId, icSerial } from '@grove/secure-element/cplc'
import { derivedFrom } from '@grove/secure-element/derived-id'
import { platformName, platformPrefix } from '@grove/secure-element/platform'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import facts from '../../../../ui/text/fact-list.module.css'

/** What a CPLC says about its chip: the IDs it is found by, and its platform. */
export function ChipFacts({ cplc }: { cplc: string }) {
  const { t } = useLingui()
  return (
    <dl className={facts.facts}>
      <dt>{t`Chip ID`}</dt>
      <dd>
        <CopyableId value={chipId(cplc)} />
      </dd>
      <dt>{t`Serial number`}</dt>
      <dd>
        <CopyableId value={icSerial(cplc)} />
      </dd>
      {!derivedFrom(cplc) && (
        <>
          <dt>{t`Platform`}</dt>
          <dd>
            {platformName(cplc)} <code>{platformPrefix(cplc)}</code>
          </dd>
        </>
      )}
    </dl>
  )
}
