import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { elements } from './element.api.ts'
import { ElementFacts } from './element-facts.tsx'
import { chipName } from './element.labels.tsx'

/** A summary of one element, with a link to its page. */
export function ElementPanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={elements.one(panel.id)}
      title={({ cplc }) => `${chipName(cplc)} · ${icSerial(cplc)}`}
      missing={t`There is no element with this CPLC.`}
      renderActions={({ cplc }) => (
        <Link to="/dashboard/maple/secure_elements/$cplc" params={{ cplc }} className="button">
          <Trans>Open</Trans>
        </Link>
      )}
    >
      {(element) => <ElementFacts element={element} />}
    </ItemPanel>
  )
}
