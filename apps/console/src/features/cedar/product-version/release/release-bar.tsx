import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { MouseEvent } from 'react'
import { PopoverMenu } from '../../../../ui/menu/popover-menu.tsx'
import { VersionState } from '../../parts/version-state.tsx'
import { ChangeList } from './change-list.tsx'
import type { Changes } from './changes.ts'
import styles from './release-bar.module.css'
import { stepLabels, stepShapes, stepWords } from './step-labels.ts'
import { blockerOf, stateOf, stepNames, type StepName } from './steps.ts'
import { SwitchButton } from './switch-button.tsx'

interface ReleaseBarProps {
  version: ProductVersion
  live: Product['liveVersion']
  /** Undefined while the live version is loading, and if there is none. */
  changes: Changes | undefined
  onRelease: (version: ProductVersion) => void
}

/** A version's steps to release, its state and its changes from the live one. */
export function ReleaseBar({ version, live, changes, onRelease }: ReleaseBarProps) {
  const { t } = useLingui()
  const action = version.enabled ? 'button' : 'button primary'
  return (
    <div className={styles.frame}>
      <div className={styles.bar} data-bar>
        <nav className={styles.steps} aria-label={t`Steps to the release`}>
          <ol>
            {stepNames.map((step) => (
              <li key={step}>
                <StepLink version={version} step={step} />
              </li>
            ))}
          </ol>
        </nav>
        <div className={styles.status}>
          <VersionState state={version.state} />
          {!version.enabled && live && <ChangesMenu live={live.version} changes={changes} />}
          <SwitchButton version={version} live={live} className={action} onRelease={onRelease} />
        </div>
      </div>
    </div>
  )
}

function StepLink({ version, step }: { version: ProductVersion; step: StepName }) {
  const { i18n } = useLingui()
  const state = stateOf(version, step)
  const Shape = stepShapes[state]
  const isReady = step === 'release' && !version.enabled && !blockerOf(version)
  const word =
    step === 'release' && version.enabled ? msg`Live` : isReady ? msg`Ready` : stepWords[state]
  return (
    <a href={`#${step}`} className={styles.step} data-state={state} onClick={goTo}>
      <Shape size={16} aria-hidden />
      <span>
        <span className={styles.label}>{i18n._(stepLabels[step])}</span>
        <span className={styles.word}>{i18n._(word)}</span>
      </span>
    </a>
  )
}

/** Adds no history entry: Back goes to the previous page. */
function goTo(event: MouseEvent<HTMLAnchorElement>) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const section = document.querySelector<HTMLElement>(event.currentTarget.hash)
  section?.scrollIntoView({ block: 'start' })
  section?.focus({ preventScroll: true })
}

function ChangesMenu({ live, changes }: { live: string; changes: Changes | undefined }) {
  if (!changes) return null
  if (changes.count === 0)
    return (
      <span className="muted">
        <Trans>No changes from {live}</Trans>
      </span>
    )
  return (
    <PopoverMenu
      className="button quiet"
      label={
        <>
          <span className={styles.wide}>
            <Plural
              value={changes.count}
              one={`# change from ${live}`}
              other={`# changes from ${live}`}
            />
          </span>
          <span className={styles.narrow}>
            <Plural value={changes.count} one="# change" other="# changes" />
          </span>
        </>
      }
    >
      <div className={styles.changes}>
        <ChangeList changes={changes} />
      </div>
    </PopoverMenu>
  )
}
