import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { isState, mergePatch } from '@grove/contract/maple/base/json-state.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useId, useRef, useState } from 'react'
import { ApiProblem } from '../../../../api/problem.ts'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import styles from './device-work.module.css'
import { storeTwin, twinPath } from './device-work.api.ts'
import { jsonText, readJson } from '../../base/json-text.ts'
import { patchBetween } from './twin-rows.ts'

interface DesiredEditorProps {
  twin: DeviceTwin
  onEnd: () => void
}

/**
 * The desired state as text. Only the changes made to it are sent, against the version it started
 * from, so that nobody else's change is lost.
 */
export function DesiredEditor({ twin, onEnd }: DesiredEditorProps) {
  const { t, i18n } = useLingui()
  const id = useId()
  const isLocked = useRef(false)
  const [base, setBase] = useState({ desired: twin.desired, version: twin.desiredVersion })
  const [text, setText] = useState(() => jsonText(twin.desired))
  const [error, setError] = useState<unknown>()
  const read = readJson(text)
  const state = read && isState(read.value) ? read.value : undefined
  const isConflict = error instanceof ApiProblem && error.code === 'edit_conflict'
  const changed = isConflict ? error.fields.map(({ path }) => path.replace(/^desired\./, '')) : []

  const save = async () => {
    if (isLocked.current || !state) return
    isLocked.current = true
    try {
      const { deviceId } = twin
      storeTwin(
        await api.maple.put(twinPath, {
          query: { deviceId },
          body: { desired: patchBetween(base.desired, state), version: base.version },
        }),
      )
      notify({
        text: t`The desired state is changed. The device receives it when it is connected.`,
      })
      onEnd()
    } catch (problem) {
      setError(problem)
    } finally {
      isLocked.current = false
    }
  }
  /** The reader's own changes on top of the current desired state. */
  const continueOn = async () => {
    if (!state) return
    try {
      const newest = await api.maple.get(twinPath, { query: { deviceId: twin.deviceId } })
      storeTwin(newest)
      setText(jsonText(mergePatch(newest.desired, patchBetween(base.desired, state))))
      setBase({ desired: newest.desired, version: newest.desiredVersion })
      setError(undefined)
    } catch (problem) {
      setError(problem)
    }
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div className={`field ${styles.whole}`}>
        <label htmlFor={id}>{t`Desired state as JSON`}</label>
        <textarea
          id={id}
          className="input mono"
          rows={10}
          value={text}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={state ? undefined : true}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => setText(target.value)}
        />
        <div id={`${id}-note`} className={state ? 'field-hint' : 'field-error'}>
          {state ? (
            <Trans>What you remove here is removed from the desired state.</Trans>
          ) : (
            <Trans>Enter an object in JSON, such as {'{"interval": 60}'}.</Trans>
          )}
        </div>
      </div>
      {error !== undefined && (
        <div role="alert" className={`notice ${styles.whole}`}>
          <p>
            {isConflict ? (
              <Trans>Somebody else has changed the desired state:</Trans>
            ) : (
              problemText(error, i18n)
            )}{' '}
            {changed.length > 0 && <code className={styles.json}>{changed.join(', ')}</code>}
          </p>
          {isConflict && (
            <button type="button" className="button" onClick={() => void continueOn()}>
              <Trans>Continue on top of their changes</Trans>
            </button>
          )}
        </div>
      )}
      <div className={styles.buttons}>
        <button type="submit" className="button primary" aria-disabled={!state}>
          <Trans>Save</Trans>
        </button>
        <button type="button" className="button" onClick={onEnd}>
          <Trans>Cancel</Trans>
        </button>
      </div>
    </form>
  )
}
