import type { HandlerVersion, OpenCloudHandler } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { path, refreshHandler, versionOf, versionsOf } from './cloud-handler.api.ts'
import { useTriggerText } from './cloud-handler.labels.tsx'
import styles from './cloud-handler.module.css'

/** What was deployed, the newest first; any version can come back. */
export function HandlerVersions({ handler }: { handler: OpenCloudHandler }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const [shown, setShown] = useState<number>()
  const { id, revision, rights } = handler
  const { data } = useQuery(versionsOf(id))
  const rollBack = ({ version }: HandlerVersion) =>
    confirmed({
      question: {
        title: t`Roll back to version ${version}?`,
        text: t`It is deployed again as a new version. The draft stays as it is.`,
        action: t({ message: 'Roll back', context: 'a handler' }),
      },
      change: () =>
        api.maple.post(`${path}/{id}/deploy`, {
          params: { id },
          ifMatch: revision,
          body: { version },
        }),
      done: () => t`Version ${version} runs again.`,
      refresh: () => refreshHandler(),
    })
  return (
    <Section title={t`Versions`}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>Nothing was deployed yet.</Trans>
        </p>
      )}
      <ul className={styles.list}>
        {data?.items.map((each) => (
          <li key={each.version}>
            <span>
              {each.of === null ? (
                <Trans>Version {each.version}</Trans>
              ) : (
                <Trans>
                  Version {each.version}, again {each.of}
                </Trans>
              )}{' '}
              <span className="muted">
                <DateText value={each.createdAt} isRelative />
              </span>
            </span>
            <span className={styles.buttons}>
              {each.isDeployed && <StateBadge kind="good" text={t`Deployed`} />}
              <button
                type="button"
                className="button quiet"
                aria-label={t`Show version ${each.version}`}
                onClick={() => setShown(each.version)}
              >
                <Trans>Show</Trans>
              </button>
              {!each.isDeployed && rights.change === null && (
                <button
                  type="button"
                  className="button quiet"
                  aria-label={t`Roll back to version ${each.version}…`}
                  onClick={() => void rollBack(each)}
                >
                  <Trans>Roll back…</Trans>
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <VersionDialog id={id} version={shown} onClose={() => setShown(undefined)} />
      )}
    </Section>
  )
}

interface VersionDialogProps {
  id: string
  version: number
  onClose: () => void
}

function VersionDialog({ id, version, onClose }: VersionDialogProps) {
  const { t } = useLingui()
  const { data } = useQuery(versionOf(id, version))
  const triggerText = useTriggerText()
  return (
    <Dialog title={t`Version ${version}`} onClose={onClose}>
      {data && (
        <>
          <p>{triggerText(data.trigger)}</p>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
          <pre className={styles.json} tabIndex={0} aria-label={t`Code`}>
            {data.code}
          </pre>
          <p className="muted">{data.hosts.join(', ')}</p>
        </>
      )}
      <div className="dialog-actions">
        <button type="button" className="button primary" onClick={onClose}>
          <Trans>Close</Trans>
        </button>
      </div>
    </Dialog>
  )
}
