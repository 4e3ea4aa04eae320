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
  /** Labels the tree for screen readers. */
  label: string
  nodes: readonly TreeNode[]
  /** The ID of the selected node. */
  selected: string | null
  onSelect: (id: string) => void
  /** Nodes that are expanded initially. */
  defaultExpanded?: readonly string[]
}

const view = loadable(() => import('./tree-view.tsx').then(({ TreeView }) => TreeView))

/** Starts loading the tree's code; called by a page's loader. */
export const prefetchTree = view.prefetch

/** Nodes that expand and collapse; one of them is selected. */
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
