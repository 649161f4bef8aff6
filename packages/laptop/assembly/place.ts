/** The environment of the assembly: the values of its pseudo-parameters and addresses. */
export interface Place {
  readonly region: string
  readonly account: string
  /** The API's base address, without a slash at its end. */
  readonly publicUrl: string
  /** The base address of all stores, without a slash at its end; queue URLs start with it. */
  readonly storesUrl: string
}

/** The region and account of every run on a laptop. Twelve zeros are no real account. */
export const laptop = { region: 'us-east-1', account: '000000000000' } as const

/** Returns the value of `Ref` for `AWS::…` names. */
export function pseudoParameter(place: Place, stackName: string, name: string): string | undefined {
  const values: Readonly<Record<string, string>> = {
    'AWS::Region': place.region,
    'AWS::AccountId': place.account,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    'AWS::StackId': `arn:aws:cloudformation:${place.region}:${place.account}:stack/${stackName}/local`,
  }
  return values[name]
}
