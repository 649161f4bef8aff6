import { RemovalPolicy } from 'aws-cdk-lib'

/**
 * For what holds data: it stays when its stack is deleted or it is replaced. What a failed first deployment has created
 * is empty and goes, so that the deployment can be repeated (DeletionPolicy `RetainExceptOnCreate`). Tables have a
 * protection of their own.
 */
export const retained = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
