import type { LucideIcon } from 'lucide-react'
import { useEffect } from 'react'
import { LoadFailure } from './load-failure.tsx'
import { loadable, useLoadable } from './loadable.ts'
import optionStyles from './option.module.css'

export interface TreeNode {
  id: string
  label: string
  icon?: LucideIcon
  /** Small print after the label, such as a count. */
  note?: string
  children?: readonly TreeNode[]
}

export interface TreeProps {
  /** Names the tree to a screen reader. */
  label: string
  nodes: readonly TreeNode[]
  /** The id of the node that is selected. */
  selected: string | null
  onSelect: (id: string) => void
  /** Nodes that are open at first. */
  defaultExpanded?: readonly string[]
}

const view = loadable(() => import('./tree-view.tsx').then(({ TreeView }) => TreeView))

/** Starts loading the tree's code; a page's loader calls it. */
export const prefetchTree = view.prefetch

/** Nodes that open and close; one of them is selected. */
export function Tree(props: TreeProps) {
  const code = useLoadable(view)
  useEffect(() => view.prefetch(), [])
  if (code.status === 'ready') return <code.Component {...props} />
  if (code.status === 'failed') return <LoadFailure onRetry={view.prefetch} />
  return (
    <div aria-busy="true">
      {props.nodes.map(({ id }) => (
        <div key={id} className={optionStyles.option}>
          <span className={`skeleton ${optionStyles.text}`} />
        </div>
      ))}
    </div>
  )
}
