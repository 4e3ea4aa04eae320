import { createElement, type SVGProps } from 'react'

interface IconData {
  /** The elements of the drawing. */
  node: readonly (readonly [tag: string, attributes: Record<string, string>])[]
}

interface IconProps extends SVGProps<SVGSVGElement> {
  size?: number
}

/** Replaces Lucide's own, which also does things that no icon here needs (build/icon-imports.ts). */
// oxlint-disable-next-line import/no-default-export -- like the module that it replaces
export default function createIcon({ node }: IconData) {
  return function Icon({ size = 24, ...props }: IconProps) {
    const isNamed = 'aria-label' in props || 'role' in props
    return createElement(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        'aria-hidden': isNamed ? undefined : true,
        ...props,
      },
      ...node.map(([tag, attributes]) => createElement(tag, attributes)),
    )
  }
}
