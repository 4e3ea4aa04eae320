import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { icSerial } from '@grove/secure-element/cplc'
import { derivedFrom } from '@grove/secure-element/derived-id'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ScrollText, SquareTerminal, Tag, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState, type ComponentType } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { DecodeButton } from '../../base/decode/decode-button.tsx'
import { CplcView } from '../../base/decode/decode-parts.tsx'
import { ElementApplets } from './applets/element-applets.tsx'
import { CardSection } from './card/card-section.tsx'
import { DomainSection } from './domain/domain-section.tsx'
import { elementByCplc, elements } from './element.api.ts'
import { ElementFacts } from './element-facts.tsx'
import { chipName, ElementStateBadge } from './element.labels.tsx'
import { ElementReach } from './element-reach.tsx'
import { ElementTimeline } from './element-timeline.tsx'
import { HsmSwitch } from './key/hsm-switch.tsx'
import { BlockedNotice } from './key/blocked-notice.tsx'
import { refreshKeys } from './key/key.api.ts'
import { KeySection } from './key/key-section.tsx'
import { PurposeKeySection } from './key/purpose-key-section.tsx'
import { PendingApproval } from './key/pending-approval.tsx'
import { Scp11Section } from './scp11/scp11-section.tsx'

const AssignProfile = onDemand(() =>
  import('./assign-profile.tsx').then((file) => file.AssignProfile),
)

interface ElementPageProps {
  cplc: string
  /** A prompt in a session with the element, at the bottom of the page. */
  Dock: ComponentType<{ cplc: string; onClose: () => void }>
}

/** Everything about one element, which the loader has found. */
export function ElementPage({ cplc, Dock }: ElementPageProps) {
  const { t } = useLingui()
  const { data } = useSuspenseQuery(elementByCplc(cplc))
  const [element] = data.items
  const [isDocked, setDocked] = useState(false)
  useRefreshOnDecision(element)
  if (!element) return null
  return (
    <article>
      <PageHeader
        title={`${chipName(element.cplc)} · ${icSerial(element.cplc)}`}
        badge={<ElementStateBadge state={element.state} />}
        description={<CopyableId value={element.cplc} />}
        action={<ElementActions element={element} onDock={() => setDocked(true)} />}
      />
      <BlockedNotice element={element} />
      {element.approvals.map(({ id }) => (
        <PendingApproval key={id} id={id} />
      ))}
      <Columns
        aside={
          <>
            <Section title={t`Facts`}>
              <ElementFacts element={element} reach={<ElementReach element={element} />} />
            </Section>
            <ElementTimeline element={element} />
          </>
        }
      >
        <Section title={derivedFrom(element.cplc) ? t`ID of the card` : 'CPLC'}>
          <CplcView cplc={element.cplc} />
        </Section>
        <CardSection key={`card ${element.cplc}`} element={element} />
        <KeySection key={`keys ${element.cplc}`} element={element} />
        <Scp11Section key={`scp11 ${element.cplc}`} element={element} />
        <PurposeKeySection key={`purpose ${element.cplc}`} element={element} />
        <DomainSection key={element.cplc} element={element} />
        <ElementApplets element={element} />
      </Columns>
      {isDocked && <Dock cplc={element.cplc} onClose={() => setDocked(false)} />}
    </article>
  )
}

/** What others approved, and its outcome, concerns every section. */
function useRefreshOnDecision(element: SecureElement | undefined) {
  const requests = element?.approvals.map(({ id, state }) => `${id} ${state}`).join() ?? ''
  const seen = useRef(requests)
  useEffect(() => {
    if (seen.current === requests) return
    seen.current = requests
    void refreshKeys()
  }, [requests])
}

function ElementActions({ element, onDock }: { element: SecureElement; onDock: () => void }) {
  const { t } = useLingui()
  const [isAssigning, setAssigning] = useState(false)
  const remove = useRemoval(element)
  const device = element.device?.name ?? ''
  return (
    <div className="actions">
      <Link
        to="/dashboard/maple/sessions/se"
        search={{ create: true, cplc: element.cplc }}
        preload={false}
        className="button"
      >
        <ScrollText size={16} aria-hidden />
        {t`Open a session`}
      </Link>
      <PanelAction icon={SquareTerminal} label={t`Terminal`} onAct={onDock} />
      <DecodeButton>{t`Decode…`}</DecodeButton>
      <PanelAction icon={Tag} label={t`Profile…`} onAct={() => setAssigning(true)} />
      <HsmSwitch element={element} />
      <PanelAction
        icon={Trash2}
        label={t`Delete…`}
        refusal={
          element.rights.delete
            ? t`It is in the device “${device}”. Detach it there first.`
            : undefined
        }
        onAct={() => void remove()}
      />
      {isAssigning && <AssignProfile element={element} onClose={() => setAssigning(false)} />}
    </div>
  )
}

function useRemoval({ cplc, revision }: SecureElement) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`Delete this element?`,
        text: t`Its security domains and its CPLC history are deleted with it. Its events stay in the audit trail.`,
        action: t`Delete the element`,
        isDanger: true,
      },
      change: () =>
        api.maple.delete('/api/maple/se/element', { query: { cplc }, ifMatch: revision }),
      done: () => t`The element is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/secure_elements' }),
      refresh: elements.refresh,
    })
}
