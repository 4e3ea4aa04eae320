import type { Approval } from '@grove/contract/maple/access/approval'
import { Trans, useLingui } from '@lingui/react/macro'
import { Fragment } from 'react'

type Step = NonNullable<Approval['input']['steps']>[number]

/** A template's steps: the approver of a run may not be able to open the template. */
export function AskedSteps({ values = [], steps = [], stepCount = 0 }: Approval['input']) {
  const shown = steps.filter(({ isRollback }) => !isRollback)
  const others = stepCount - shown.length
  return (
    <>
      {values.length > 0 && (
        <li>
          <Trans>Values that are not secret:</Trans>
          {values.map(({ name, value }, at) => (
            <Fragment key={name}>
              {at > 0 && ','} {name} <code>{value}</code>
            </Fragment>
          ))}
        </li>
      )}
      {shown.length > 0 && (
        <li>
          <Trans>Steps:</Trans>
          <ol>
            {shown.map((step) => {
              const undo = steps.find(({ index, isRollback }) => isRollback && index === step.index)
              return (
                <li key={step.index}>
                  <StepText {...step} />
                  {undo && (
                    <>
                      {'; '}
                      <Trans>
                        undone by: <StepText {...undo} />
                      </Trans>
                    </>
                  )}
                </li>
              )
            })}
          </ol>
          {others > 0 && <Trans>More steps that are not shown: {others}</Trans>}
        </li>
      )}
    </>
  )
}

function StepText({ kind, words }: Step) {
  const { t } = useLingui()
  // Commands are named as in GlobalPlatform, and as in token requests.
  const kinds: Record<string, string> = {
    openChannel: t`Open a secure channel`,
    installApplet: t`Install an applet`,
    deleteApplet: t`Delete an applet`,
    raw: t`Raw bytes`,
    Fingerprint: t`Fingerprint`,
    MplSelect: 'SELECT',
    MplInstall: 'INSTALL',
    MplDelete: 'DELETE',
    MplSetStatus: 'SET STATUS',
    MplStoreData: 'STORE DATA',
    MplGetData: 'GET DATA',
    MplGetStatus: 'GET STATUS',
  }
  return (
    <>
      {kinds[kind] ?? kind}
      {words.map((word, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- words may repeat, and never move
        <Fragment key={at}>
          {' '}
          <code>{word}</code>
        </Fragment>
      ))}
    </>
  )
}
