import type { DeviceHandler, DeviceHandlerVersionItem } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { FileDiff, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { jsonText } from '../parts/device/json-text.ts'
import { Person } from '../parts/secure/person.tsx'
import { path, refreshHandler, versionQuery, versionsQuery } from './device-handler.api.ts'
import styles from './device-handler.module.css'

const CodeEditor = onDemand(() =>
  import('../parts/code/code-editor.tsx').then((file) => file.CodeEditor),
)

/** What was published, the newest first: each can be compared with the draft and brought back. */
export function HandlerVersions({ handler }: { handler: DeviceHandler }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const versions = useQuery(versionsQuery(handler.id))
  const { data } = versions
  const [compared, setCompared] = useState<number>()
  const forbidden =
    handler.rights.change === null ? undefined : t`You do not have the right to do this.`
  const rollBack = ({ number }: DeviceHandlerVersionItem) =>
    confirmed({
      question: {
        title: t`Publish version ${number} again?`,
        text: t`It becomes the newest version. The draft and the versions between stay.`,
        action: t`Roll back`,
      },
      change: () =>
        api.maple.post(`${path}/{id}/rollback`, {
          params: { id: handler.id },
          ifMatch: handler.revision,
          body: { number },
        }),
      done: (version) => t`Version ${version.number} is published.`,
      refresh: () => refreshHandler(),
    })
  return (
    <Section title={t({ message: 'Versions', context: 'of a device handler' })} loading={versions}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>Nothing is published yet, so it reads no device.</Trans>
        </p>
      )}
      <ul className={styles.list}>
        {data?.items.map((version) => (
          <li key={version.number}>
            <div>
              <strong>
                {t({ message: `Version ${version.number}`, context: 'of a device handler' })}
              </strong>{' '}
              <span className="muted">
                <DateText value={version.publishedAt} isRelative /> ·{' '}
                <Person id={version.publishedBy} />
                {version.restoredFrom !== null && (
                  <>
                    {' · '}
                    <Trans>as version {version.restoredFrom}</Trans>
                  </>
                )}
              </span>
              {version.note !== '' && <p>{version.note}</p>}
            </div>
            <div className="actions">
              <PanelAction
                icon={FileDiff}
                label={t`Compare`}
                onAct={() => setCompared(version.number)}
              />
              {version.number !== handler.version && (
                <PanelAction
                  icon={Undo2}
                  label={t`Roll back…`}
                  refusal={forbidden}
                  onAct={() => void rollBack(version)}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      {compared !== undefined && (
        <Comparison handler={handler} number={compared} onClose={() => setCompared(undefined)} />
      )}
    </Section>
  )
}

interface ComparisonProps {
  handler: DeviceHandler
  number: number
  onClose: () => void
}

const textOf = ({ code, tests }: Pick<DeviceHandler, 'code' | 'tests'>) =>
  `${code.trimEnd()}\n${tests.map((test) => `// ${jsonText(test).replaceAll('\n', '\n// ')}\n`).join('')}`

/** The draft with its tests, and what differs from a version. */
function Comparison({ handler, number, onClose }: ComparisonProps) {
  const { t } = useLingui()
  const { data: version } = useQuery(versionQuery(handler.id, number))
  const isSame = version && textOf(version) === textOf(handler)
  return (
    <Dialog title={t`The draft against version ${number}`} onClose={onClose}>
      {isSame && (
        <p>
          <Trans>They are the same.</Trans>
        </p>
      )}
      {version && !isSame && (
        <div className={styles.comparison}>
          <CodeEditor
            text={textOf(handler)}
            original={textOf(version)}
            label={t`What differs`}
            isReadOnly
          />
        </div>
      )}
    </Dialog>
  )
}
