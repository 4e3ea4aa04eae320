import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { chipId, icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { dash } from '../../../../ui/i18n/moment-text.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { ElementConflicts } from './element-conflicts.tsx'
import {
  chipName,
  ElementStateBadge,
  ProfileText,
  useDerivedText,
  useElementWords,
} from './element.labels.tsx'

interface ElementFactsProps {
  element: SecureElement
  /** Whether sessions can reach it through its device. */
  reach?: ReactNode
}

// A third-party service may leave out either.
const isSaid = (value: object | boolean | null | undefined) => value !== undefined

/** The facts about an element, and what needs attention. */
export function ElementFacts({ element, reach }: ElementFactsProps) {
  const { t } = useLingui()
  const words = useElementWords()
  const derivedText = useDerivedText()
  const { cplc, state, device, hsm, history } = element
  const derived = derivedText(cplc)
  return (
    <>
      <ElementConflicts element={element} />
      <PanelFacts
        facts={[
          [
            t`State`,
            <span key="state">
              <ElementStateBadge state={state} />
              <br />
              <span className="muted">{words.meaning[state]}</span>
            </span>,
          ],
          [t`Chip`, chipName(cplc)],
          ...(derived ? [[t`Identity`, derived] as const] : []),
          [t`Serial`, <CopyableId key="serial" value={icSerial(cplc)} />],
          [t`Chip ID`, <CopyableId key="chip" value={chipId(cplc)} />],
          [t`Profile`, <ProfileText key="profile" {...element} />],
          [
            t`Device`,
            device ? (
              <span key="device">
                <Link
                  to="/dashboard/maple/devices/$deviceId"
                  params={{ deviceId: device.id }}
                  preload={false}
                >
                  <bdi>{device.name}</bdi>
                </Link>
                <br />
                <span className="muted">
                  <Trans>
                    since <DateText value={device.attachedAt} />
                  </Trans>
                </span>
                {reach}
              </span>
            ) : isSaid(device) ? (
              t`In no device`
            ) : (
              dash
            ),
          ],
          [t`Keys`, isSaid(hsm) ? words.keys[`${hsm}`] : dash],
          [t`Registered`, <DateText key="created" value={element.createdAt} />],
          [t`Changed`, <DateText key="changed" value={element.updatedAt} />],
          ...history.map(
            ({ cplc: former, replacedAt }) =>
              [
                t`Former CPLC`,
                <span key={former}>
                  <CopyableId value={former} />
                  <span className="muted">
                    <Trans>
                      until <DateText value={replacedAt} />
                    </Trans>
                  </span>
                </span>,
              ] as const,
          ),
        ]}
      />
    </>
  )
}
